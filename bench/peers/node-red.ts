/** Node-RED stores no executions, so it shows the cost of a flow without history. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newOrders } from "../src/request.ts";
import type { Peer } from "./peer.ts";
import { assertAnswers } from "./probe.ts";

const VERSION = "5.0.7";
const PATH = "/orders";

const set = (to: string, value: string, kind: string) => ({
  t: "set",
  p: to,
  pt: "msg",
  to: value,
  tot: kind,
});
const answer = (accepted: boolean) => [
  set("answer.number", "payload.number", "msg"),
  set("answer.accepted", String(accepted), "bool"),
  set("payload", "answer", "msg"),
];
const node = (id: string, type: string, wires: readonly string[][], config: object) => ({
  id,
  type,
  z: "flow",
  wires,
  ...config,
});
const FLOW = [
  { id: "flow", type: "tab", label: "Orders" },
  node("in", "http in", [["order"]], { url: PATH, method: "post" }),
  node("order", "change", [["large"]], {
    rules: [set("total", "payload.price * payload.quantity", "jsonata")],
  }),
  node("large", "switch", [["accept"], ["refuse"]], {
    property: "total",
    propertyType: "msg",
    rules: [{ t: "gt", v: "100", vt: "num" }, { t: "else" }],
    checkall: "false",
  }),
  node("accept", "change", [["out"]], { rules: answer(true) }),
  node("refuse", "change", [["out"]], { rules: answer(false) }),
  node("out", "http response", [], { statusCode: "200" }),
  node("probe", "http in", [["out"]], { url: "/readyz", method: "get" }),
];
const SETTINGS = `module.exports = {
  uiHost: "127.0.0.1",
  uiPort: Number(process.env.PORT),
  flowFile: "flows.json",
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false },
  logging: { console: { level: "warn" } },
};
`;

/** A flow that is read from its file. */
export const nodeRed: Peer = {
  name: "node-red",
  title: `Node-RED ${VERSION}`,
  pin: { name: "node-red", version: VERSION },
  notes: ["its flow writes nothing down; each of our runs is two durable commits"],
  async setUp(stage, folder) {
    const home = await stage.makeFolder("node-red");
    await writeFile(join(home, "settings.js"), SETTINGS);
    await writeFile(join(home, "flows.json"), JSON.stringify(FLOW));
    return async (ours) => {
      const workflow = await ours.workflow();
      const start = async () => {
        const child = await stage.start({
          args: [join(folder, "node_modules/node-red/red.js"), "--userDir", home],
          env: { HOME: home },
        });
        const peer = { port: child.port, status: 200, next: newOrders(PATH) };
        await assertAnswers(peer);
        await assertAnswers(workflow);
        return { ...child, work: [{ name: "flow with an answer", peer, ours: workflow }] };
      };
      return [{ name: "", start }];
    };
  },
};
