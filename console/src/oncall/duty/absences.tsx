import { Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { findMonday, toSpan } from "../../changes/index.ts";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { PersonField } from "../../data/options/search-field.tsx";
import { useMay, useMe, useRefusal } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { Strip } from "../rota/strip.tsx";
import { Button } from "../../ui/form/button.tsx";

type Absence = Schemas["ListedAbsenceWithNote"];

const SHOWN = 200;
const DAYS = 28;
const DAY_HOURS = 24;

/** Absences: assignment rules skip absent people, and the on-call schedule marks their shifts. */
export function Absences() {
  const may = useMay();
  const me = useMe();
  const nameOf = useNames();
  const isNarrow = useIsNarrow();
  const [isAdding, setAdding] = useState(false);
  const { data, error, isPending, refetch } = useOp("absences.list", { query: { limit: SHOWN } });
  const refusal = useRefusal("absences.create");
  useActions([{ keys: "c", label: "Add absence", run: () => setAdding(true), disabled: refusal }]);
  const first = useMemo(() => findMonday(new Date()), []);
  const coming = (data?.data ?? [])
    .filter(({ until }) => Date.parse(until) > first.getTime())
    .toSorted((left, right) => left.from.localeCompare(right.from));
  const people = [...Map.groupBy(coming, ({ userId }) => userId)];
  const add = (
    <Button refusal={refusal} onClick={() => setAdding(true)}>
      <Plus /> Add absence{" "}
    </Button>
  );
  return (
    <div className="scroll oncall-list" tabIndex={0} role="region" aria-label="Absences">
      {coming.length > 0 && <p className="oncall-make">{add}</p>}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && !error && <Loading rows={6} />}
      {data && coming.length === 0 && (
        <Empty title="No absences" action={add}>
          Rules do not assign tickets to absent members. Their on-call shifts are highlighted.
        </Empty>
      )}
      {!isNarrow && people.length > 0 && (
        <div className="rota">
          <Strip
            label="Four weeks"
            first={first}
            days={DAYS}
            lanes={people.map(([userId, blocks]) => ({
              key: userId,
              label: nameOf(userId) ?? "Former member",
              blocks,
            }))}
          />
        </div>
      )}
      <ul>
        {coming.map((absence) => (
          <li key={absence.id} className="page-line">
            <Avatar name={nameOf(absence.userId)} />
            <div className="page-words grow">
              <span className="cut">{nameOf(absence.userId) ?? "Former member"}</span>
              <span className="muted cut">{absence.note}</span>
            </div>
            <span>{toSpan(absence.from, absence.until)}</span>
            {(absence.userId === me?.user.id || may("teams.update")) && (
              <Button
                look="bare"
                isIcon
                aria-label={`Delete the absence of ${nameOf(absence.userId) ?? "former member"}`}
                onClick={() => void remove(absence, nameOf(absence.userId))}
              >
                <Trash2 />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isAdding && <AbsenceDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

async function remove(
  { id, userId, from, until, note }: Absence,
  name = "the member",
): Promise<void> {
  await perform(
    "absences.delete",
    { params: { id } },
    {
      said: `Absence of ${name} deleted`,
      undo: () =>
        call("absences.create", {
          body: { userId, from, until, ...(note !== null && { note }) },
        }),
    },
  );
}

function AbsenceDialog({ onClose }: { readonly onClose: () => void }) {
  const may = useMay();
  const me = useMe();
  const [initial] = useState(() => ({
    userId: me?.user.id,
    from: morning(1),
    until: morning(2),
  }));
  const form = useForm("absences.create", { initial, onDone: onClose });
  return (
    <FormDialog form={form} title="Add absence" act="Add" onClose={onClose}>
      {may("teams.update") && <PersonField {...form.field("userId")} label="Person" isRequired />}
      <Grid min="m">
        <DateTimeField {...form.field("from")} />
        <DateTimeField {...form.field("until")} />
      </Grid>
      <TextField {...form.field("note")} />
    </FormDialog>
  );
}

/** Returns midnight at the start of a day in the future. */
function morning(days: number): string {
  const day = new Date();
  day.setHours(DAY_HOURS * days, 0, 0, 0);
  return day.toISOString();
}
