import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { EditorForm, NameField, useEditor } from "../../desk-settings/index.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { count } from "../../ui/words.ts";
import { Holidays } from "./holidays.tsx";
import { countHours, type Hours, toWeek } from "./week.ts";
import { WeekGrid } from "./week-grid.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

type Calendar = Schemas["ListedBusinessCalendar"];
const NEW = "new";
const ZONES = Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone }));

/** Calendars that policies share: hours that count, and days that do not. */
export function Calendars() {
  const { open } = useSearch({ from: "/inside/sla" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const refusal = refusalOf("business_calendars.update");
  const show = (id: string | undefined): void =>
    void navigate({ to: "/sla", search: { tab: "calendars", open: id } });
  const query = { limit: 200 };
  const { data, error, isPending, refetch } = useOp("business_calendars.list", { query });
  const calendars = data?.data ?? [];
  const calendar = calendars.find(({ id }) => id === open);
  return (
    <div className={`sla-split${open === undefined ? "" : " has-open"}`}>
      <section className="sla-list scroll" aria-label="Calendars" tabIndex={0}>
        <p className="sla-make">
          <Button refusal={refusal} onClick={() => show(NEW)}>
            <Plus /> New calendar
          </Button>
        </p>
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={4} />}
        {data && calendars.length === 0 && (
          <Empty title="Around the clock">A calendar says which hours count.</Empty>
        )}
        <ul>
          {calendars.map(({ id, name, timezone, hours, holidays }) => (
            <li key={id}>
              <PlainButton
                className="sla-policy"
                aria-current={id === open ? "true" : undefined}
                onClick={() => show(id)}
              >
                <strong>{name}</strong>
                <span className="muted">
                  {countHours(toWeek(hours))} hours a week, {timezone},{" "}
                  {count(holidays.length, "holiday")}
                </span>
              </PlainButton>
            </li>
          ))}
        </ul>
      </section>
      {(calendar || open === NEW) && (
        <CalendarEditor key={open} calendar={calendar} refusal={refusal} onOpen={show} />
      )}
    </div>
  );
}

interface CalendarDraft {
  readonly name: string;
  readonly timezone: string;
  readonly hours: readonly Hours[];
  readonly holidays: readonly string[];
}

const OFFICE: readonly Hours[] = [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }];

interface CalendarEditorProps {
  readonly calendar: Calendar | undefined;
  readonly refusal: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

function CalendarEditor({ calendar, refusal, onOpen }: CalendarEditorProps) {
  const editor = useEditor<CalendarDraft>({
    initial: {
      name: calendar?.name ?? "",
      timezone: calendar?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      hours: calendar?.hours ?? OFFICE,
      holidays: calendar?.holidays ?? [],
    },
    revision: calendar?.revision,
    stale: "business_calendars.",
    refusal,
    save: async (draft, ifMatch) => {
      const hours = draft.hours.map((one) => ({ ...one, days: [...one.days] }));
      const body = { ...draft, hours, holidays: [...draft.holidays] };
      const params = { id: calendar?.id ?? "" };
      const options = ifMatch === undefined ? {} : { ifMatch };
      return calendar
        ? (await call("business_calendars.update", { params, body }, options)).data
        : (await call("business_calendars.create", { body })).data;
    },
    remove: () => call("business_calendars.delete", { params: { id: calendar?.id ?? "" } }),
    onOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <div className="sla-open scroll" tabIndex={0} role="region" aria-label="Calendar">
      <EditorForm
        title={calendar?.name ?? "New calendar"}
        editor={editor}
        consequence="It can't be deleted while a policy counts by it."
      >
        <div className="editor-columns">
          <NameField {...editor} />
          <Field label="Time zone" error={errorOf("/timezone")}>
            {({ id }) => (
              <Combobox
                id={id}
                label="Time zone"
                options={ZONES}
                value={draft.timezone}
                onChange={(timezone) => timezone !== undefined && change({ timezone })}
              />
            )}
          </Field>
        </div>
        <WeekGrid
          hours={draft.hours}
          onChange={(hours) => change({ hours })}
          isDisabled={refusal !== undefined}
        />
        <Holidays
          days={draft.holidays}
          onChange={(holidays) => change({ holidays })}
          error={errorOf("/holidays")}
        />
      </EditorForm>
    </div>
  );
}
