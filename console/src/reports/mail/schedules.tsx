import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { NEW, Shelf } from "../../desk-settings/index.ts";
import { count } from "../../ui/words.ts";
import { ScheduleEditor } from "./schedule-editor.tsx";
import { timesWords } from "../../ui/form/pickers/times.ts";

type Schedule = Schemas["ListedReportSchedule"];

/** Reports and dashboards that are sent by e-mail. */
export function Schedules() {
  const { open, report } = useSearch({ from: "/inside/reports" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("report_schedules.list", {
    query: { limit: 200 },
  });
  const show = (id: string | undefined): void =>
    void navigate({ to: "/reports", search: { tab: "mail", open: id } });
  const schedules = data?.data ?? [];
  const schedule = schedules.find(({ id }) => id === open);
  return (
    <Shelf
      label="E-mail schedules"
      make="New schedule"
      refusal={useRefusal("report_schedules.create")}
      place={[open, show]}
      nothing="An e-mail schedule sends a report or dashboard to recipients. Example: open tickets every Monday."
      items={schedules.map((one) => ({
        id: one.id,
        label: one.name,
        about: `${timesWords(one.schedule)} · ${count(one.recipients.length, "recipient")}`,
        mark: <Mark schedule={one} />,
      }))}
      {...{ error, isPending }}
      onRetry={() => void refetch()}
    >
      {(schedule || open === NEW) && (
        <ScheduleEditor
          key={`${open} ${report}`}
          schedule={schedule}
          reportId={report}
          onOpen={show}
        />
      )}
    </Shelf>
  );
}

function Mark({ schedule }: { readonly schedule: Schedule }) {
  const failed = schedule.outcomes.filter(({ state }) => state === "failed").length;
  if (failed > 0) return <span className="tag bad">{failed} failed</span>;
  return schedule.enabled ? null : <span className="tag idle">Off</span>;
}
