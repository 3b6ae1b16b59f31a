import { container } from "./container/container.ts";
import { crash } from "./tests/crash.ts";
import { databases } from "./tests/databases.ts";
import { dump } from "./dump/dump.ts";
import { failover } from "./failover/failover.ts";
import { faults } from "./faults/index.ts";
import { flood } from "./failover/flood.ts";
import { fuzzing } from "./fuzz/index.ts";
import { guides } from "./guides/guides.ts";
import { mcp } from "./mcp/mcp.ts";
import { n8n } from "./n8n/n8n.ts";
import { n8nParity } from "./n8n/parity.ts";
import { nodes } from "./nodes/nodes.ts";
import { pictures } from "./pictures/pictures.ts";
import type { Proof } from "./proof.ts";
import { proxy } from "./proxy/proof.ts";
import { soak } from "./soak/soak.ts";
import { thorough } from "./tests/thorough.ts";
import { workers } from "./workers/workers.ts";

const PROOFS: readonly Proof[] = [
  faults,
  nodes,
  crash,
  fuzzing,
  soak,
  workers,
  proxy,
  dump,
  failover,
  flood,
  thorough,
  databases,
  guides,
  pictures,
  container,
  n8n,
  n8nParity,
  mcp,
];
const USAGE = `npm run proof -- <name> [options]
${PROOFS.map(({ name, usage }) => `  ${name} ${usage}`).join("\n")}
`;

const [name, ...options] = process.argv.slice(2);
const proof = PROOFS.find((one) => one.name === name);
if (!proof) {
  process.stderr.write(USAGE);
  process.exit(1);
}
try {
  const { held, lines } = await proof.run(options);
  process.stdout.write(`${lines.join("\n")}\n${held ? "It held." : "It did NOT hold."}\n`);
  process.exit(held ? 0 : 1);
} catch (error) {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
}
