"""`python -m tests.bench`: how fast, how large, how strong? `growth`: does it stay so? `live`: full tables."""

import sys

if sys.argv[1:2] == ["growth"]:
    from tests.bench.growth import growth_command

    growth_command(sys.argv[2:], prog_name="python -m tests.bench growth")
elif sys.argv[1:2] == ["live"]:
    from tests.bench.live import live_command

    live_command(sys.argv[2:], prog_name="python -m tests.bench live")
else:
    from tests.bench.command import bench_command

    bench_command(prog_name="python -m tests.bench")
