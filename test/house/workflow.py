#!/usr/bin/env python3
"""No workflow puts a stranger's text into a shell: `run:` steps of GitHub workflows take event data by env only."""
import glob
import os
import re
import sys

# What an expression inside a script may name: nothing that a commenter or a branch can choose.
paths = glob.glob(os.path.join(os.environ["TOP"], ".github", "workflows", "*.yml"))
if not paths:
    sys.exit("no workflows found")
for path in paths:
    script_indent = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            indent = len(line) - len(line.lstrip())
            started = re.match(r"\s*(- )?run: ", line)
            if started:
                script_indent = indent + len(started.group(1) or "")
            elif script_indent is not None and line.strip() and indent <= script_indent:
                script_indent = None
            if script_indent is not None and "${{" in line:
                sys.exit(f"{path}:{number}: an expression inside a script: {line.strip()}")
print(" No Errors")
