import { sql } from "kysely";
import { domain } from "../../server/src/kernel/domain.ts";
import { reader } from "../../server/src/kernel/readers/reader.ts";
import { NoteCreated } from "../../server/src/kernel/testing/notes.ts";

/** One row for each time a reader saw an event, without a unique constraint, so that duplicates are visible. */
export const TALLY_SQL = `
  create table tally (
    at      bigint      not null generated always as identity,
    reader  text        not null,
    epoch   smallint    not null,
    xid     bigint      not null,
    seq     bigint      not null,
    seen_at timestamptz not null default clock_timestamp()
  );
  grant insert on tally to millrace_app;`;

export const READERS = ["tally_1", "tally_2", "tally_3", "tally_4"];

/** Readers that record the events they see. */
export const tally = domain({
  name: "tally",
  summary: "Readers that write down what they saw.",
  permissions: [],
  events: [],
  operations: [],
  readers: READERS.map((name) =>
    reader({
      name,
      on: [NoteCreated.type],
      startsAt: "end",
      async handle({ tx }, events) {
        const places = events.map(({ position }) => position);
        await sql`
          insert into tally (reader, epoch, xid, seq)
          select ${name}, e.epoch, e.xid, e.seq
            from json_to_recordset(${JSON.stringify(places)}) as e (epoch smallint, xid bigint, seq bigint)`.execute(
          tx,
        );
      },
    }),
  ),
});
