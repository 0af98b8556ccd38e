"""`python -m tests.bench`: how fast, how large, how strong? `python -m tests.bench growth`: does it stay so?"""

import sys

if sys.argv[1:2] == ["growth"]:
    from tests.bench.growth import growth_command

    growth_command(sys.argv[2:], prog_name="python -m tests.bench growth")
else:
    from tests.bench.command import bench_command

    bench_command(prog_name="python -m tests.bench")
