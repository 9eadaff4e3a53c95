# Written, not built here. docker build -t skolem . && docker run --rm -v "$PWD:/work" skolem plan domain.pddl problem.pddl
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /skolem && /skolem/bin/pip install --no-cache-dir --constraint /source/constraints.txt /source

FROM python:3.12-slim
COPY --from=build /skolem /skolem
WORKDIR /work
ENTRYPOINT ["/skolem/bin/skolem"]
