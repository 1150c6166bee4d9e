# Sources of src/pm; paths are from the top of the tree.
