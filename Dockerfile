# The emulator in a container: docs/emulator.md says how to run it.
FROM node:24-slim AS pack
WORKDIR /source
COPY . .
RUN npm ci --ignore-scripts && npm pack --pack-destination /tmp

FROM node:24-slim
COPY --from=pack /tmp/pulumi-telephony-*.tgz /tmp/
# Without its peer, @pulumi/pulumi, which the emulator doesn't need.
RUN npm install --global --legacy-peer-deps /tmp/pulumi-telephony-*.tgz && rm /tmp/pulumi-telephony-*.tgz \
  && mkdir /data && chown node /data
USER node
VOLUME /data
EXPOSE 4010
# For programs that wait until it is ready.
HEALTHCHECK --interval=10s --start-period=30s --start-interval=1s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/v1/openapi.json').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["telephony", "emulator"]
CMD ["--host", "0.0.0.0", "--data", "/data"]
