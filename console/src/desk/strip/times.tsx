import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusals } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { KINDS, type Ticket } from "../ticket-kind.ts";
import { readMinutes, toMinuteWords } from "./minutes.ts";
import { Button } from "../../ui/form/button.tsx";

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
  const remove = (timeId: string, minutes: number): void =>
    void perform(
      REMOVE[kind],
      { params: { id, timeId } },
      { said: `${toMinuteWords(minutes)} removed from ${number}` },
    );
  return (
    <section className="strip-part">
      <h2 className="row">
        <span className="grow">
          Time {total > 0 && <span className="muted">{toMinuteWords(total)}</span>}
        </span>
        <Popover
          label="Log time"
          className="btn bare icon small"
          button={<Plus />}
          disabled={refusal}
        >
          {(close) => <TimeForm ticket={ticket} onClose={close} />}
        </Popover>
      </h2>
      {times.length === 0 && <p className="muted">No time logged.</p>}
      <ul className="strip-list">
        {times.map((one) => (
          <li key={one.id} className="row">
            <span className="grow cut" title={one.note}>
              {toMinuteWords(one.minutes)} {nameOf(one.userId) ?? "Unknown user"}
              {one.note !== "" && <span className="muted"> {one.note}</span>}
            </span>
            {refusal === undefined && (
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label={`Remove ${toMinuteWords(one.minutes)}`}
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

interface TimeDraft {
  readonly time: string;
  readonly note: string;
}

interface TimeFormProps {
  readonly ticket: Ticket;
  readonly onClose: () => void;
}

function TimeForm({ ticket: { kind, id, number }, onClose }: TimeFormProps) {
  const form = useForm(ADD[kind], {
    params: { id },
    initial: { time: "", note: "" },
    toBody: ({ time, note }: TimeDraft) => ({
      minutes: readMinutes(time) ?? 0,
      ...(note !== "" && { note }),
    }),
    check: ({ time }) => ({
      time:
        readMinutes(time) === undefined ? "Enter a duration such as 15, 1h or 1h30." : undefined,
    }),
    said: `Time logged on ${number}`,
    onDone: onClose,
  });
  return (
    <div className="small-form">
      <InlineForm form={form} label="Log time" act="Log time" isMain onClose={onClose}>
        <TextField
          {...form.field("time")}
          label="Time spent"
          help="Example: 15, 1h or 1h30"
          isRequired
        />
        <TextField {...form.field("note")} label="Note" />
      </InlineForm>
    </div>
  );
}
