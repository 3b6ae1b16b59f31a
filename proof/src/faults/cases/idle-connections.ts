import { readFileSync } from "node:fs";
import { percentile } from "../../../../bench/src/statistics.ts";
import { duringWork, type Fault } from "../fault.ts";
import { Stage } from "../stage.ts";
import { requestOf, type Wire, wire } from "../wire.ts";

const IDLE = 10_000;
const AT_ONCE = 200;
/** The number of ports available for one local address. */
const PER_ADDRESS = 20_000;
const SAMPLES = 300;

async function openMany(port: number, count: number, token: string | undefined): Promise<Wire[]> {
  const lines: Wire[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - done);
    const address = `127.0.0.${1 + Math.floor(done / PER_ADDRESS)}`;
    const some = await Promise.allSettled(Array.from({ length: size }, () => wire(port, address)));
    for (const one of some) if (one.status === "fulfilled") lines.push(one.value);
    // Each has sent one request and stays open for the next.
    for (const { socket } of lines.slice(-size)) socket.write(requestOf("GET /healthz", { token }));
  }
  return lines;
}

/** The latency of requests on new connections while the others are open. */
async function latencies(stage: Stage): Promise<string> {
  const tookMs: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const sentAt = performance.now();
    const { status } = await stage.ask("GET /api/v1/auth/me");
    if (status !== 200) throw new Error(`It answered ${status} among idle connections.`);
    tookMs.push(performance.now() - sentAt);
  }
  tookMs.sort((a, b) => a - b);
  return `p50 ${percentile(tookMs, 0.5).toFixed(1)} ms, p99 ${percentile(tookMs, 0.99).toFixed(1)} ms`;
}

const idle: Fault = {
  name: "idle-connections",
  about: `${IDLE} connections that are kept open and idle`,
  async run({ onStage }) {
    await using stage = await Stage.open({ database: "embedded" });
    onStage(stage);
    const told: string[] = [];
    const wrong: string[] = [];
    const seen = await duringWork(stage, async () => {
      const { product, token } = stage;
      told.push(`alone: ${await latencies(stage)}`);
      const before = product.memoryMb;
      const lines = await openMany(product.port, IDLE, token);
      const answered = (await Promise.all(lines.map((line) => line.answers(1, 10_000)))).filter(
        ([status]) => status === 200,
      ).length;
      const after = product.memoryMb;
      const each = Math.round(((after - before) * 1024) / Math.max(1, lines.length));
      told.push(
        `${lines.length} connected, ${answered} answered; ${before} → ${after} MB, ${each} KB each`,
      );
      if (answered !== IDLE) wrong.push(`only ${answered} of ${IDLE} were served`);
      told.push(`among them: ${await latencies(stage)}`);
      for (const { socket } of lines) socket.destroy();
    });
    return { lines: [...told, ...seen.lines], wrong: [...wrong, ...seen.wrong] };
  },
};

const FILES = 1_200;
const CROWD = 2_000;

const noFiles: Fault = {
  name: "no-files",
  about: `a process that may open ${FILES} files, and ${CROWD} connections`,
  async run({ onStage }) {
    const before = ["prlimit", `--nofile=${FILES}:${FILES}`];
    await using stage = await Stage.open({ database: "embedded", before });
    onStage(stage);
    const told: string[] = [];
    const wrong: string[] = [];
    const seen = await duringWork(
      stage,
      async () => {
        const lines = await openMany(stage.product.port, CROWD, stage.token);
        const served = lines.filter((line) => line.heard().includes(" 200 ")).length;
        told.push(`${served} of ${CROWD} were served, the others closed at once`);
        const reply = await fetch(`${stage.product.url}/metrics`);
        const figures = /^millrace_connections.*$/gm;
        told.push([...(await reply.text()).matchAll(figures)].map(([line]) => line).join(", "));
        const files = readFileSync(`/proc/${stage.product.pid}/limits`, "utf8");
        if (!files.includes(String(FILES))) wrong.push("the limit was not set");
        if (/EMFILE/.test(stage.product.log)) wrong.push("it ran out of files");
        for (const { socket } of lines) socket.destroy();
      },
      { cutsClients: true },
    );
    return { lines: [...told, ...seen.lines], wrong: [...wrong, ...seen.wrong] };
  },
};

/** Faults of too many connections. */
export const idleConnections: readonly Fault[] = [idle, noFiles];
