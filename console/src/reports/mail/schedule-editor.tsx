import { Send } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { MailNotice, useMailRefusal } from "../../data/notices/mail-notice.tsx";
import { useNames } from "../../data/names/names.ts";
import { useCommand } from "../../data/use-command.ts";
import { EditorPanel, PeopleField } from "../../desk-settings/index.ts";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { ScheduleField } from "../../ui/form/pickers/schedule-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify } from "../../ui/toast.tsx";
import { MailPreview } from "./mail-preview.tsx";

type Schedule = Schemas["ListedReportSchedule"];

interface ScheduleEditorProps {
  readonly schedule: Schedule | undefined;
  /** The report of a new schedule, if it is known. */
  readonly reportId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const newSchedule = (reportId: string | undefined) => ({
  reportId,
  recipients: [],
  schedule: { cron: "0 7 * * 1", timezone: LOCAL_ZONE },
  skipEmpty: true,
  attachCsv: true,
  enabled: true,
});

/** The form of a schedule: content, recipients and times, next to a preview of the e-mail. */
export function ScheduleEditor({ schedule, reportId, onOpen }: ScheduleEditorProps) {
  const form = useForm(schedule ? "report_schedules.update" : "report_schedules.create", {
    params: { id: schedule?.id ?? "" },
    initial: schedule ?? newSchedule(reportId),
    version: revisionOf(schedule),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      if (!schedule) onOpen(data.id);
    },
  });
  const { values, field } = form;
  const recipients = field("recipients");
  return (
    <EditorPanel
      form={form}
      thing={schedule}
      title={schedule?.name ?? "New schedule"}
      remove="report_schedules.delete"
      consequence="The report is no longer sent by e-mail. The report itself is kept."
      onRemoved={() => onOpen(undefined)}
      aside={
        schedule && (
          <>
            <SentState schedule={schedule} />
            <MailPreview id={schedule.id} message={schedule.message} />
          </>
        )
      }
    >
      <MailNotice />
      <TextField
        {...field("name")}
        label="Subject"
        placeholder="Example: Service desk, last week"
      />
      <ContentField
        report={field("reportId")}
        dashboard={field("dashboardId")}
        onChange={(id) =>
          form.change({
            reportId: id?.startsWith("rpt_") ? id : null,
            dashboardId: id?.startsWith("rpt_") ? null : id,
          })
        }
      />
      <PeopleField
        label="Recipients"
        userIds={values.recipients ?? []}
        onChange={recipients.onChange}
        help="Each recipient gets only the data that they have access to."
        error={recipients.errorFor("Recipients")}
      />
      <ScheduleField {...field("schedule")} />
      <TextAreaField {...field("message")} label="Introduction" />
      <CheckField {...field("skipEmpty")} label="Don't send if all numbers are zero" />
      <CheckField {...field("attachCsv")} label="Attach rows as CSV" />
      <CheckField {...field("enabled")} />
    </EditorPanel>
  );
}

interface ContentFieldProps {
  readonly report: FieldBinding<string>;
  readonly dashboard: FieldBinding<string>;
  readonly onChange: (id: string | null | undefined) => void;
}

/** Selects a saved report or a dashboard: one of two fields of the schedule. */
function ContentField({ report, dashboard, onChange }: ContentFieldProps) {
  const reports = useOp("reports.list", { query: { limit: 200 } }).data?.data ?? [];
  const dashboards = useOp("dashboards.list", { query: { limit: 200 } }).data?.data ?? [];
  return (
    <SelectField
      {...report}
      label="Report"
      isRequired
      none="Select a report or dashboard"
      value={report.value ?? dashboard.value}
      errorFor={(label) => report.errorFor(label) ?? dashboard.errorFor(label)}
      options={[
        ...dashboards.map(({ id, name }) => [id, name, "Dashboards"] as const),
        ...reports.map(({ id, name }) => [id, name, "Saved reports"] as const),
      ]}
      onChange={onChange}
    />
  );
}

const SHOWN: Intl.DateTimeFormatOptions = { dateStyle: "full", timeStyle: "short" };
const OUTCOMES = { sent: "ok", skipped: "idle", failed: "bad" } as const;
const OUTCOME_WORDS = { sent: "Sent", skipped: "Not sent", failed: "Failed" } as const;

function SentState({ schedule }: { readonly schedule: Schedule }) {
  const nameOf = useNames();
  const send = useCommand("report_schedules.send", { refusal: useMailRefusal() });
  const sendTo = (onlyMe: boolean): void => {
    const said = onlyMe ? "Sending to you" : `Sending ${schedule.name} to all recipients`;
    void send
      .run({ params: { id: schedule.id }, body: { onlyMe } })
      .then((reply) => reply && notify(said));
  };
  return (
    <section className="report-sent" aria-label="Send history">
      <dl>
        <dt>Next send</dt>
        <dd>
          {schedule.nextAt === null
            ? "Not scheduled"
            : new Date(schedule.nextAt).toLocaleString("en-GB", SHOWN)}
        </dd>
        <dt>Last sent</dt>
        <dd>{schedule.sentAt === null ? "Never" : <Ago at={schedule.sentAt} />}</dd>
      </dl>
      {schedule.outcomes.length > 0 && (
        <ul>
          {schedule.outcomes.map(({ userId, state, reason, at }) => (
            <li key={userId}>
              <span className={`tag ${OUTCOMES[state]}`}>{OUTCOME_WORDS[state]}</span>
              <span className="grow">
                {nameOf(userId) ?? "Former member"}
                {reason !== null && <span className="muted"> {reason}</span>}
              </span>
              <Ago at={at} />
            </li>
          ))}
        </ul>
      )}
      <p className="row">
        <CommandButton command={send} onPress={() => sendTo(true)}>
          <Send /> Send to me
        </CommandButton>
        <CommandButton command={send} onPress={() => sendTo(false)}>
          Send to all now
        </CommandButton>
      </p>
    </section>
  );
}
