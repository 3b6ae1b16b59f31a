import { arch, cpus, totalmem } from "node:os";
import type { Row, Side } from "./contest.ts";

/** The memory and start time of an idle process. */
export interface Idle {
  readonly megabytes: number;
  readonly readyMs: number;
}

/** The results for one peer. */
export interface Section {
  readonly title: string;
  readonly rows: Row[];
  readonly idle: { readonly variant: string; readonly peer: Idle; readonly ours: Idle }[];
  readonly notes: readonly string[];
}

/** The table of all peers for RESULTS.md. */
export function draw(sections: readonly Section[], postgresVersion: string): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} cores ${arch()}, ${gigabytes} GB`;
  return [
    `${machine}; Node ${process.versions.node}; PostgreSQL ${postgresVersion}, fsync on; 16 connections.`,
    "",
    "| Work | Peer | Its rate, p50, p99 | Millrace's rate, p50, p99 | Times as fast |",
    "|---|---|---|---|---|",
    ...sections.flatMap(({ title, rows, idle }) => [
      ...rows.map(({ work, peer, ours, timesAsFast }) =>
        line([work, title, side(peer), side(ours), times(timesAsFast)]),
      ),
      ...idle.flatMap(({ variant, peer, ours }) => [
        line([
          `memory when idle${variant}`,
          title,
          `${peer.megabytes.toFixed(0)} MB`,
          `${ours.megabytes.toFixed(0)} MB`,
          "",
        ]),
        line([`start${variant}`, title, seconds(peer), seconds(ours), ""]),
      ]),
    ]),
    "",
    ...sections.flatMap(({ title, notes }) => notes.map((note) => `- ${title}: ${note}`)),
    "",
  ].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function side({ perSecond, p50Ms, p99Ms }: Side): string {
  const rate = perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString("en");
  return `${rate}/s, ${p50Ms.toFixed(1)} ms, ${p99Ms.toFixed(1)} ms`;
}

function times(ratio: number): string {
  return ratio.toFixed(ratio < 10 ? 2 : 0);
}

function seconds({ readyMs }: Idle): string {
  return `${(readyMs / 1000).toFixed(1)} s`;
}
