import { Send } from "lucide-react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { MailNotice, useMailRefusal } from "../../data/notices/mail-notice.tsx";
import { useNames } from "../../data/names/names.ts";
import {
  CheckField,
  EditorForm,
  LineField,
  PeopleField,
  useEditor,
} from "../../desk-settings/index.ts";
import { Field } from "../../ui/field.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { MailPreview } from "./mail-preview.tsx";
import { TimeFields } from "./time-fields.tsx";
import type { Times } from "./times.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

type Schedule = Schemas["ListedReportSchedule"];

interface ScheduleEditorProps {
  readonly schedule: Schedule | undefined;
  /** What a new one sends, where that is known. */
  readonly reportId: string | undefined;
  readonly refusal: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const toDraft = (schedule: Schedule | undefined, reportId: string | undefined) => ({
  name: schedule?.name ?? "",
  message: schedule?.message ?? "",
  subject: schedule?.reportId ?? schedule?.dashboardId ?? reportId ?? "",
  recipients: [...(schedule?.recipients ?? [])],
  schedule: (schedule?.schedule ?? { cron: "0 7 * * 1", timezone: LOCAL_ZONE }) as Times,
  skipEmpty: schedule?.skipEmpty ?? true,
  attachCsv: schedule?.attachCsv ?? true,
  enabled: schedule?.enabled ?? true,
});

function toBody({ subject, schedule, ...rest }: ReturnType<typeof toDraft>) {
  const { cron, timezone = "UTC" } = schedule;
  const isReport = subject.startsWith("rpt_");
  return {
    ...rest,
    schedule: { cron, timezone },
    reportId: isReport ? subject : null,
    dashboardId: isReport || subject === "" ? null : subject,
  };
}

/** What is sent, to whom and when, beside the mail as it would look now. */
export function ScheduleEditor({ schedule, reportId, refusal, onOpen }: ScheduleEditorProps) {
  const editor = useEditor({
    initial: toDraft(schedule, reportId),
    revision: schedule?.revision,
    stale: "report_schedules.",
    refusal,
    save: async (draft, ifMatch) => {
      const body = toBody(draft);
      const params = { id: schedule?.id ?? "" };
      const options = ifMatch === undefined ? {} : { ifMatch };
      return schedule
        ? (await call("report_schedules.update", { params, body }, options)).data
        : (await call("report_schedules.create", { body })).data;
    },
    ...(schedule && {
      remove: () => call("report_schedules.delete", { params: { id: schedule.id } }),
    }),
    onOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={schedule?.name ?? "New schedule"}
      editor={editor}
      consequence="Nobody gets it by mail any more. The report stays."
      aside={
        schedule && (
          <>
            <SentState schedule={schedule} refusal={refusal} />
            <MailPreview id={schedule.id} message={schedule.message} />
          </>
        )
      }
    >
      <MailNotice />
      <LineField
        label="Subject"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errorOf("/name")}
        placeholder="The desk last week"
      />
      <SubjectField
        value={draft.subject}
        onChange={(subject) => change({ subject })}
        error={errorOf("/reportId") ?? errorOf("/dashboardId")}
      />
      <PeopleField
        label="To"
        userIds={draft.recipients}
        onChange={(recipients) => change({ recipients })}
        help="Each gets the numbers that they may see themselves."
        error={errorOf("/recipients")}
      />
      <TimeFields
        times={draft.schedule}
        onChange={(times) => change({ schedule: times })}
        error={errorOf("/schedule/cron") ?? errorOf("/schedule/timezone")}
      />
      <LineField
        label="A word above the numbers"
        value={draft.message}
        onChange={(message) => change({ message })}
        isArea
        isOptional
      />
      <CheckField
        label="Send nothing where all numbers are zero"
        isOn={draft.skipEmpty}
        onChange={(skipEmpty) => change({ skipEmpty })}
      />
      <CheckField
        label="Attach the rows as CSV"
        isOn={draft.attachCsv}
        onChange={(attachCsv) => change({ attachCsv })}
      />
      <CheckField label="On" isOn={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </EditorForm>
  );
}

interface SubjectFieldProps {
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly error: string | undefined;
}

function SubjectField({ value, onChange, error }: SubjectFieldProps) {
  const reports = useOp("reports.list", { query: { limit: 200 } }).data?.data ?? [];
  const dashboards = useOp("dashboards.list", { query: { limit: 200 } }).data?.data ?? [];
  const groups = [
    ["Dashboards", dashboards],
    ["Saved reports", reports],
  ] as const;
  return (
    <Field label="Sends" error={error}>
      {(attributes) => (
        <Select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">Choose a report or a dashboard</option>
          {groups.map(([label, items]) => (
            <optgroup key={label} label={label}>
              {items.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </Field>
  );
}

const SHOWN: Intl.DateTimeFormatOptions = { dateStyle: "full", timeStyle: "short" };
const OUTCOMES = { sent: "ok", skipped: "idle", failed: "bad" } as const;
const OUTCOME_WORDS = { sent: "Sent", skipped: "Not sent", failed: "Failed" } as const;

function SentState(props: { readonly schedule: Schedule; readonly refusal: string | undefined }) {
  const { schedule } = props;
  const mailRefusal = useMailRefusal();
  const refusal = props.refusal ?? mailRefusal;
  const nameOf = useNames();
  const send = async (onlyMe: boolean): Promise<void> => {
    try {
      await call("report_schedules.send", { params: { id: schedule.id }, body: { onlyMe } });
      notify(onlyMe ? "Sending it to you" : `Sending ${schedule.name} to all recipients`);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <section className="report-sent" aria-label="Sent">
      <dl>
        <dt>Next</dt>
        <dd>
          {schedule.nextAt === null
            ? "Not planned"
            : new Date(schedule.nextAt).toLocaleString("en-GB", SHOWN)}
        </dd>
        <dt>Last sent</dt>
        <dd>{schedule.sentAt === null ? "Not yet" : <Ago at={schedule.sentAt} />}</dd>
      </dl>
      {schedule.outcomes.length > 0 && (
        <ul>
          {schedule.outcomes.map(({ userId, state, reason, at }) => (
            <li key={userId}>
              <span className={`tag ${OUTCOMES[state]}`}>{OUTCOME_WORDS[state]}</span>
              <span className="grow">
                {nameOf(userId) ?? "Somebody who left"}
                {reason !== null && <span className="muted"> {reason}</span>}
              </span>
              <Ago at={at} />
            </li>
          ))}
        </ul>
      )}
      <p className="row">
        <Button refusal={refusal} type="button" onClick={() => void send(true)}>
          <Send /> Send to me
        </Button>
        <Button refusal={refusal} type="button" onClick={() => void send(false)}>
          Send to all now
        </Button>
      </p>
    </section>
  );
}
