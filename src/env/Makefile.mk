# What a user's build needs: compiler wrappers and pkg-config files, all made by configure, and the other
# names that users know.

bin_SCRIPTS += src/env/mpicc src/env/mpicxx
nodist_pkgconfig_DATA += src/env/mpi.pc src/env/mpich.pc src/env/perennial.pc

install-exec-hook: install-wrapper-aliases
install-wrapper-aliases: install-binSCRIPTS
	cd $(DESTDIR)$(bindir) && ln -sf mpicxx mpic++ && ln -sf mpiexec mpirun
uninstall-hook: uninstall-wrapper-aliases
uninstall-wrapper-aliases:
	rm -f $(DESTDIR)$(bindir)/mpic++ $(DESTDIR)$(bindir)/mpirun
.PHONY: install-wrapper-aliases uninstall-wrapper-aliases
