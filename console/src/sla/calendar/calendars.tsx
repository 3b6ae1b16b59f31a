import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { EditorPanel } from "../../desk-settings/index.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { Holidays } from "./holidays.tsx";
import { countHours, type Hours, toWeek } from "./week.ts";
import { WeekGrid } from "./week-grid.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { ZoneField } from "../../ui/form/pickers/zone-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";

type Calendar = Schemas["ListedBusinessCalendar"];
const NEW = "new";

/** Shared calendars: business hours and holidays. */
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
          <Empty title="No calendars yet">
            SLA targets without a calendar run 24/7. Add a calendar with your business hours.
          </Empty>
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
        <CalendarEditor key={open} calendar={calendar} onOpen={show} />
      )}
    </div>
  );
}

const OFFICE: readonly Hours[] = [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }];

interface CalendarEditorProps {
  readonly calendar: Calendar | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

function CalendarEditor({ calendar, onOpen }: CalendarEditorProps) {
  const form = useForm(calendar ? "business_calendars.update" : "business_calendars.create", {
    params: { id: calendar?.id ?? "" },
    initial: calendar ?? {
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      hours: OFFICE,
    },
    version: revisionOf(calendar),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => calendar || onOpen(data.id),
  });
  const hours = form.field("hours");
  return (
    <div className="sla-open scroll" tabIndex={0} role="region" aria-label="Calendar">
      <EditorPanel
        form={form}
        thing={calendar}
        title={calendar?.name ?? "New calendar"}
        remove="business_calendars.delete"
        onRemoved={() => onOpen(undefined)}
        consequence="You can't delete a calendar that an SLA policy uses."
      >
        <Grid min="m">
          <TextField {...form.field("name")} />
          <ZoneField {...form.field("timezone")} label="Time zone" />
        </Grid>
        <WeekGrid
          hours={hours.value ?? []}
          onChange={hours.onChange}
          isDisabled={hours.isDisabled}
          error={hours.errorFor("Business hours")}
        />
        <Holidays {...form.field("holidays")} />
      </EditorPanel>
    </div>
  );
}
