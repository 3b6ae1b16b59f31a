/**
 * An undo never advances a ticket: every ticket command is performed and undone, as a whole and event by event.
 * Afterwards each ticket and task has its state from before the command, or the undo was rejected and it has the state
 * after the command.
 */
import { expect, test } from "vitest";
import { eventIdOf } from "#kernel/log/event.ts";
import { readSamples, sweptOperations } from "#kernel/testing/sweep.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const owner = await world.member(["owner"]);
const samples = await readSamples();

const TICKETS =
  /^[A-Z]+ \/api\/v1\/(itsm\/(incidents|problems|changes|queue|macros)|catalog\/requests)\b/;
const commands = sweptOperations.filter(
  ({ kind, route }) => kind === "command" && TICKETS.test(route),
);

async function readStates(): Promise<ReadonlyMap<string, string>> {
  const rows = await world.sql(`
    select id, state from incidents union all select id, state from problems
     union all select id, state from changes union all select id, state from catalog_requests
     union all select id, state from ticket_tasks`);
  return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
}

test("includes commands of every ticket kind", () => {
  const areas = new Set(commands.map(({ id }) => id.split(".")[0]));
  for (const area of ["incidents", "problems", "changes", "requests"]) {
    expect(areas).toContain(area);
  }
});

test.each(commands.map((command) => [command.id, command] as const))(
  "undoing %s leads only to the state before or after",
  async (id, { route }) => {
    const [method, path = ""] = route.split(" ");
    for (const sample of samples.get(id) ?? []) {
      const { params = {}, body, by = owner } = await sample.arrange(owner, world);
      const target = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? "");
      const before = await readStates();
      const done = await by(`${method} ${target}`, body ?? {});
      expect([id, done.status < 300]).toEqual([id, true]);
      const after = await readStates();
      const correlationId = done.headers["x-correlation-id"];
      const whole = await owner("POST /api/v1/undo", { correlationId });
      const undone = await readStates();
      if (whole.status === 200 && whole.body.data.left.length === 0) {
        expect({ id, ...Object.fromEntries(undone) }).toEqual({
          id,
          ...Object.fromEntries(before),
        });
      } else assertNoThirdState(id, { before, after, undone });
      for (const eventId of await readEventIds(correlationId)) {
        await owner("POST /api/v1/undo", { eventId });
        assertNoThirdState(id, { before, after, undone: await readStates() });
      }
    }
  },
);

/** The events of a correlation, newest first. */
async function readEventIds(correlationId: unknown): Promise<string[]> {
  const rows = await world.sql(
    `select epoch, xid::text as xid, seq from events where correlation_id = $1
      order by epoch desc, xid desc, seq desc`,
    [correlationId],
  );
  return rows.map(({ epoch, xid, seq }) =>
    eventIdOf({ epoch: Number(epoch), xid: Number(xid), seq: Number(seq) }),
  );
}

type States = ReadonlyMap<string, string>;

function assertNoThirdState(
  id: string,
  {
    before,
    after,
    undone,
  }: { readonly before: States; readonly after: States; readonly undone: States },
): void {
  for (const [thing, state] of undone) {
    const known = [before.get(thing), after.get(thing)];
    expect({ id, thing, state, known: known.includes(state) }).toMatchObject({ known: true });
  }
}
