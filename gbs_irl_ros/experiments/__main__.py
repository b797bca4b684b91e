"""`python -m gbs_irl_ros.experiments`."""

import sys

from gbs_irl_ros.experiments.command import main

if __name__ == '__main__':
    sys.exit(main())
