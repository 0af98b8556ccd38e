"""`python -m tests.bench`: how fast, how large, how strong?"""

from tests.bench.command import bench_command

bench_command(prog_name="python -m tests.bench")
