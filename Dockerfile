# equilag with the extras of its steward: every command but `fleet` and `collect`.
#   docker build --tag equilag .
#   docker run --rm equilag --version
# packaging/build and packaging/install are what `make wheel-test` runs and tests.
FROM python:3.13-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN packaging/build /wheel \
  && packaging/install /opt/equilag requirements/steward.txt /wheel/*.whl --no-cache-dir

FROM python:3.13-slim-bookworm
COPY --from=build /opt/equilag /opt/equilag
ENV PATH=/opt/equilag/bin:$PATH PYTHONDONTWRITEBYTECODE=1
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /tmp
EXPOSE 9478
ENTRYPOINT ["equilag"]
CMD ["--help"]
