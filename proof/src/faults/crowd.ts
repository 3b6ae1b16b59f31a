import { setTimeout as pause } from "node:timers/promises";
import type { Stage } from "./stage.ts";

/** Arrivals per millisecond. */
const PER_MS = 1;

/** Many simultaneous requests. Returns the counts of statuses, and throws for unexpected ones. */
export async function crowd(stage: Stage, size: number): Promise<string> {
  const counts = new Map<number, number>();
  let slowestMs = 0;
  let sum = 0;
  await Promise.all(
    Array.from({ length: size }, async (_, n) => {
      await pause(n / PER_MS);
      const sentAt = performance.now();
      const answer = await stage.ask("GET /api/v1/workspaces/default");
      const tookMs = performance.now() - sentAt;
      slowestMs = Math.max(slowestMs, tookMs);
      sum += tookMs;
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
    }),
  );
  const told = [...counts].map(([status, count]) => `${count} × ${status}`).join(", ");
  const odd = [...counts.keys()].filter((status) => status !== 200 && status !== 503);
  if (odd.length > 0) throw new Error(`Of a crowd of ${size}: ${told}`);
  return `a crowd of ${size}: ${told}; on average ${Math.round(sum / size)} ms, at most ${Math.round(slowestMs)} ms`;
}
