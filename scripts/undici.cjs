/** The parts of undici that we use, under the names of its index. The index reads 80 more files and takes twice as long. */
Object.assign(require("undici/lib/dispatcher/dispatcher").prototype, require("undici/lib/api"));
const lazy = (load) => ({ enumerable: true, get: load });
Object.defineProperties(exports, {
	Agent: lazy(() => require("undici/lib/dispatcher/agent")),
	Pool: lazy(() => require("undici/lib/dispatcher/pool")),
	ProxyAgent: lazy(() => require("undici/lib/dispatcher/proxy-agent")),
	buildConnector: lazy(() => require("undici/lib/core/connect")),
});
