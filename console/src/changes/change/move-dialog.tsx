import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Grid, Stack } from "../../ui/layout/layout.tsx";
import { toSpan } from "../calendar/days.ts";
import { ConflictList } from "./conflict-list.tsx";
import { type Change, hasConflicts } from "./use-change.ts";
import { Button } from "../../ui/form/button.tsx";

const HOUR_MS = 3_600_000;
const OFFERS_MAX = 5;

const toTimes = ({ plannedStart, plannedEnd }: Change) => ({ plannedStart, plannedEnd });

/** Reschedules a change. Shows the conflicts of the selected time, and the next time without conflicts. */
export function MoveDialog(props: { readonly change: Change; readonly onClose: () => void }) {
  const { change, onClose } = props;
  const read = { params: { id: change.number } };
  const form = useForm("changes.update", {
    params: { id: change.id },
    initial: toTimes(change),
    version: versionOf("changes.get", read, ({ data }) => toTimes(data)),
    check: ({ plannedStart, plannedEnd }) => ({
      plannedStart: plannedStart ? undefined : "is required",
      plannedEnd: !plannedEnd
        ? "is required"
        : plannedStart && plannedEnd <= plannedStart
          ? "The end must be after the start."
          : undefined,
    }),
    said: `${change.number} rescheduled.`,
    onDone: onClose,
  });
  const { plannedStart: from, plannedEnd: to } = form.values;
  const isWindow = !!from && !!to && from < to;
  const conflicts = useOp(
    "changes.conflicts",
    { params: { id: change.id }, query: { start: from ?? "", end: to ?? "" } },
    { enabled: isWindow },
  ).data?.data;
  const isAgreed = change.state === "submitted" || change.state === "approved";
  const start = form.field("plannedStart");
  return (
    <FormDialog
      form={form}
      title={`Reschedule ${change.number}`}
      act="Reschedule"
      onClose={onClose}
    >
      <Grid min="m">
        <DateTimeField
          {...start}
          label="Planned start"
          isRequired
          onChange={(next) =>
            form.change({ plannedStart: next, plannedEnd: keepLength(from, to, next) })
          }
        />
        <DateTimeField {...form.field("plannedEnd")} label="Planned end" isRequired />
      </Grid>
      {isWindow && conflicts && !hasConflicts(conflicts) && (
        <p className="move-free" role="status">
          No conflicts in this time.
        </p>
      )}
      {isWindow && <ConflictList conflicts={conflicts} />}
      <FreeWindows
        change={change}
        hours={isWindow ? (Date.parse(to) - Date.parse(from)) / HOUR_MS : 1}
        onChoose={(window) => form.change({ plannedStart: window.start, plannedEnd: window.end })}
      />
      {isAgreed && (
        <p className="muted">
          If the new time is outside the approved window, the approvers must approve the change
          again.
        </p>
      )}
    </FormDialog>
  );
}

type Time = string | null | undefined;

/** Moves the end with the start, so that the window keeps its length. */
function keepLength(from: Time, to: Time, next: Time): Time {
  if (!from || !to || !next) return to;
  return new Date(Date.parse(next) + Date.parse(to) - Date.parse(from)).toISOString();
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
    <Stack as="section" gap={3}>
      <h3>Times without conflicts in the next month</h3>
      <Stack as="ul" gap={3} align="start">
        {windows.slice(0, OFFERS_MAX).map(({ start, end }) => {
          const begins = toNextHour(start);
          const until = new Date(Date.parse(begins) + hours * HOUR_MS).toISOString();
          return (
            <li key={start}>
              <Button
                type="button"
                onClick={() => props.onChoose({ start: begins, end: until <= end ? until : end })}
              >
                {toSpan(start, end)}
              </Button>
            </li>
          );
        })}
      </Stack>
    </Stack>
  );
}

/** Returns the next full hour, or the time itself if it is one. */
function toNextHour(at: string): string {
  return new Date(Math.ceil(Date.parse(at) / HOUR_MS) * HOUR_MS).toISOString();
}
