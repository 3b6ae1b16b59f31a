import { useState } from "react";
import { call, invalidate, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { toSpan } from "../calendar/days.ts";
import { fromLocalInput, toLocalInput } from "../form/local-time.ts";
import { ConflictList } from "./conflict-list.tsx";
import { type Change, hasConflicts } from "./use-change.ts";
import { Refusal } from "../../ui/feedback.tsx";

const HOUR_MS = 3_600_000;
const OFFERS_MAX = 5;

/** Another time for a change: what would be in the way is shown while one chooses, and when nothing would. */
export function MoveDialog(props: {
  readonly change: Change;
  readonly ifMatch: string | undefined;
  readonly onClose: () => void;
}) {
  const { change } = props;
  const [start, setStart] = useState(toLocalInput(change.plannedStart));
  const [end, setEnd] = useState(toLocalInput(change.plannedEnd));
  const [problem, setProblem] = useState<string>();
  const [from, to] = [fromLocalInput(start), fromLocalInput(end)];
  const isWindow = from !== null && to !== null && from < to;
  const conflicts = useOp(
    "changes.conflicts",
    { params: { id: change.id }, query: { start: from ?? "", end: to ?? "" } },
    { enabled: isWindow },
  ).data?.data;
  const submit = async (): Promise<void> => {
    try {
      const body = { plannedStart: from, plannedEnd: to };
      await call(
        "changes.update",
        { params: { id: change.id }, body },
        props.ifMatch === undefined ? {} : { ifMatch: props.ifMatch },
      );
      notify(`${change.number} was moved.`);
      invalidate(["changes."]);
      props.onClose();
    } catch (error) {
      setProblem(describeRefusal(error));
    }
  };
  const isAgreed = change.state === "submitted" || change.state === "approved";
  return (
    <Dialog
      title={`When is ${change.number} to happen?`}
      onClose={props.onClose}
      onSubmit={() => void submit()}
      footer={
        <button className="btn main" disabled={!isWindow}>
          Reschedule
        </button>
      }
    >
      <div className="move">
        <Times
          start={start}
          end={end}
          onChange={(nextStart, nextEnd) => {
            setStart(nextStart);
            setEnd(nextEnd);
          }}
        />
        {isWindow && conflicts && !hasConflicts(conflicts) && (
          <p className="move-free" role="status">
            There are no conflicts then.
          </p>
        )}
        {isWindow && <ConflictList conflicts={conflicts} />}
        <FreeWindows
          change={change}
          hours={isWindow ? (Date.parse(to) - Date.parse(from)) / HOUR_MS : 1}
          onChoose={(window) => {
            setStart(toLocalInput(window.start));
            setEnd(toLocalInput(window.end));
          }}
        />
        {isAgreed && (
          <p className="muted">In hours that nobody has agreed to, its approvers vote anew.</p>
        )}
        <Refusal reason={problem} />
      </div>
    </Dialog>
  );
}

function Times(props: {
  readonly start: string;
  readonly end: string;
  readonly onChange: (start: string, end: string) => void;
}) {
  const { start, end, onChange } = props;
  const [from, to] = [fromLocalInput(start), fromLocalInput(end)];
  const isReversed = from !== null && to !== null && to <= from;
  return (
    <div className="move-times">
      <Field label="From">
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            type="datetime-local"
            required
            value={start}
            onChange={({ target }) => onChange(target.value, keepLength(start, end, target.value))}
          />
        )}
      </Field>
      <Field label="To" error={isReversed ? "It must end after it begins." : undefined}>
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            type="datetime-local"
            required
            value={end}
            onChange={({ target }) => onChange(start, target.value)}
          />
        )}
      </Field>
    </div>
  );
}

/** The end that keeps a window as long as it was when its beginning moves. */
function keepLength(start: string, end: string, next: string): string {
  const [from, to, begins] = [fromLocalInput(start), fromLocalInput(end), fromLocalInput(next)];
  if (from === null || to === null || begins === null) return end;
  return toLocalInput(
    new Date(Date.parse(begins) + Date.parse(to) - Date.parse(from)).toISOString(),
  );
}

interface Span {
  readonly start: string;
  readonly end: string;
}

function FreeWindows(props: {
  readonly change: Change;
  readonly hours: number;
  readonly onChoose: (window: Span) => void;
}) {
  const { ciIds } = props.change;
  const hours = Math.min(720, Math.max(0.25, props.hours));
  const query = { hours, ...(ciIds.length > 0 && { ciIds: ciIds.join(",") }) };
  const windows = useOp("changes.free_windows", { query }).data?.data.windows ?? [];
  if (windows.length === 0) return null;
  return (
    <section>
      <h3>Free in the next month</h3>
      <ul className="move-offers">
        {windows.slice(0, OFFERS_MAX).map(({ start, end }) => {
          const begins = toNextHour(start);
          const until = new Date(Date.parse(begins) + hours * HOUR_MS).toISOString();
          return (
            <li key={start}>
              <button
                type="button"
                className="btn"
                onClick={() => props.onChoose({ start: begins, end: until <= end ? until : end })}
              >
                {toSpan(start, end)}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The full hour at or after a moment. */
function toNextHour(at: string): string {
  return new Date(Math.ceil(Date.parse(at) / HOUR_MS) * HOUR_MS).toISOString();
}
