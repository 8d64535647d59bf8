# The build needs npm alone; the image holds the executable and nothing else of ours.
FROM node:22-bookworm-slim AS build
RUN npm install --global bun@1.4.5
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile --production
COPY src ./src
COPY docs ./docs
COPY .ci/build.ts .ci/dashboard.ts .ci/documentation.ts ./.ci/
RUN bun run build

FROM debian:bookworm-slim
RUN groupadd --gid 10001 guardhouse \
 && useradd --uid 10001 --gid guardhouse --home-dir /data --no-create-home --shell /usr/sbin/nologin guardhouse \
 && install --directory --owner=guardhouse --group=guardhouse --mode=0700 /data
COPY --from=build /build/dist/guardhouse /usr/local/bin/guardhouse
ENV GUARDHOUSE_LISTEN=0.0.0.0:8787 GUARDHOUSE_DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["guardhouse", "health"]
ENTRYPOINT ["guardhouse"]
CMD ["serve"]
