import { Plus, X } from "lucide-react";
import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusals } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { KINDS, type Ticket } from "../ticket-kind.ts";
import { readMinutes, toMinuteWords } from "./minutes.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const LIST = {
  incident: "incidents.list_times",
  problem: "problems.list_times",
  change: "changes.list_times",
  request: "requests.list_times",
} as const;
const ADD = {
  incident: "incidents.add_time",
  problem: "problems.add_time",
  change: "changes.add_time",
  request: "requests.add_time",
} as const;
const REMOVE = {
  incident: "incidents.remove_time",
  problem: "problems.remove_time",
  change: "changes.remove_time",
  request: "requests.remove_time",
} as const;

/** Time that was spent on a ticket. */
export function Times({ ticket }: { readonly ticket: Ticket }) {
  const { kind, id, number } = ticket;
  const refusalOf = useRefusals();
  const nameOf = useNames();
  const { write } = KINDS[kind];
  const refusal = refusalOf(write);
  const query = { limit: 50 };
  const times =
    useOp(LIST[kind], { params: { id: number }, query }, { enabled: refusal === undefined }).data
      ?.data ?? [];
  const total = times.reduce((sum, { minutes }) => sum + minutes, 0);
  const book = (minutes: number, note: string): void =>
    void applyChange({
      send: async () => {
        const body = { minutes, ...(note !== "" && { note }) };
        await call(ADD[kind], { params: { id }, body });
      },
      said: `${toMinuteWords(minutes)} booked on ${number}`,
    });
  const remove = (timeId: string, minutes: number): void =>
    void applyChange({
      send: async () => {
        await call(REMOVE[kind], { params: { id, timeId } });
      },
      said: `${toMinuteWords(minutes)} taken off ${number}`,
    });
  return (
    <section className="strip-part">
      <h2 className="row">
        <span className="grow">
          Time {total > 0 && <span className="muted">{toMinuteWords(total)}</span>}
        </span>
        <Popover
          label="Book time"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => (
            <TimeForm
              onBook={(minutes, note) => {
                close();
                book(minutes, note);
              }}
            />
          )}
        </Popover>
      </h2>
      {times.length === 0 && <p className="muted">None booked.</p>}
      <ul className="strip-list">
        {times.map((one) => (
          <li key={one.id} className="row">
            <span className="grow cut" title={one.note}>
              {toMinuteWords(one.minutes)} {nameOf(one.userId) ?? "Somebody"}
              {one.note !== "" && <span className="muted"> {one.note}</span>}
            </span>
            {refusal === undefined && (
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label={`Take off ${toMinuteWords(one.minutes)}`}
                onClick={() => remove(one.id, one.minutes)}
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function TimeForm({ onBook }: { readonly onBook: (minutes: number, note: string) => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const minutes = readMinutes(text);
  return (
    <form
      className="small-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (minutes !== undefined) onBook(minutes, note.trim());
      }}
    >
      <Field label="How long?" help="15, 1h, 1h30">
        {(attributes) => (
          <TextInput
            {...attributes}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Field label="For what?" isOptional>
        {(attributes) => (
          <TextInput
            {...attributes}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
      </Field>
      <Button look="main" disabled={minutes === undefined}>
        Book
      </Button>
    </form>
  );
}
