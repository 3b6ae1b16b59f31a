/** The page of an alert: current value, past notifications and settings. */
import "./alerts.css";
import { formatValue } from "@millrace/client/chart";
import { useNavigate, useParams } from "@tanstack/react-router";
import { RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { type Permission, type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { versionOf } from "../data/form/version.ts";
import { useMay, useMe } from "../data/people.ts";
import { useCommand } from "../data/use-command.ts";
import { FormPanel } from "../shell/form/form-panel.tsx";
import { PageError } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { CommandButton } from "../ui/form/command-button.tsx";
import { Timeline } from "../ui/display/timeline.tsx";
import { Loading } from "../ui/feedback.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Panel, Row, Split, Stack, Text } from "../ui/layout/layout.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { State } from "../ui/state.tsx";
import { AlertForm, type AlertDraft } from "./alert-form.tsx";
import { ruleWords, STATE_WORDS } from "./words.ts";

type Alert = Schemas["Alert"];

export function AlertPage() {
  const { id } = useParams({ from: "/inside/alerts/$id" });
  const isNew = id === "new";
  const input = { params: { id } };
  const { data, error, refetch } = useOp("alerts.get", input, { enabled: !isNew });
  const me = useMe();
  useTitle(isNew ? "New alert" : data?.data.name);
  if (error && !isNew) return <PageError error={error} retry={() => void refetch()} />;
  if (isNew) return me ? <AlertView key="new" userId={me.user.id} /> : <Loading />;
  if (!data || data.data.id !== id) return <Loading rows={8} />;
  return <AlertView key={id} alert={data.data} userId="" />;
}

const START: Omit<AlertDraft, "notify"> = {
  name: "",
  report: { source: { kind: "runs" }, period: { from: "$now-24h" } },
  kind: "above",
  threshold: 0,
  everyMinutes: 5,
  enabled: true,
};

const toDraft = ({ name, report, rule, everyMinutes, notify, enabled }: Alert): AlertDraft => ({
  name,
  report,
  everyMinutes,
  notify,
  enabled,
  kind: rule.kind,
  threshold: rule.threshold ?? 0,
});

/** Rule fields that the form does not show, such as the number of checks, are kept unless the rule type changes. */
function toBody({ kind, threshold, ...draft }: AlertDraft, alert: Alert | undefined) {
  const kept = alert?.rule.kind === kind ? alert.rule : undefined;
  const isLimit = kind === "above" || kind === "below";
  return { ...draft, rule: { ...kept, kind, ...(isLimit && { threshold }) } };
}

function AlertView({ alert, userId }: { readonly alert?: Alert; readonly userId: string }) {
  const navigate = useNavigate();
  const may = useMay();
  const [isLeaving, setLeaving] = useState(false);
  const sources = useOp("reports.sources", { query: { limit: 200 } }).data?.data;
  // Checks run with the permissions of the user who saves the alert.
  const isHidden = (source: AlertDraft["report"]["source"]): boolean =>
    sources?.some(
      ({ kind, permission }) => kind === source.kind && !may(permission as Permission),
    ) === true;
  const params = { id: alert?.id ?? "" };
  const form = useForm(alert ? "alerts.update" : "alerts.create", {
    params,
    initial: alert ? toDraft(alert) : { ...START, notify: [userId] },
    version: alert && versionOf("alerts.get", { params }, ({ data }) => toDraft(data)),
    toBody: (draft: AlertDraft) => toBody(draft, alert),
    check: ({ name, report }) => ({
      name: name.trim() === "" ? "is required" : undefined,
      report: isHidden(report.source)
        ? "You don't have permission to read the data of this alert."
        : undefined,
    }),
    said: ({ data }) => `${data.name} saved.`,
    onDone: ({ data }) => {
      if (!alert) void navigate({ to: "/alerts/$id", params: { id: data.id } });
    },
  });
  const remove = useCommand("alerts.delete", { onDone: () => void navigate({ to: "/alerts" }) });
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="cut">{alert?.name ?? "New alert"}</h1>
        <span className="grow" />
        {alert && (
          <IconButton
            label={remove.refusal ?? "Delete alert"}
            isOff={remove.refusal !== undefined}
            onPress={() => setLeaving(true)}
          >
            <Trash2 />
          </IconButton>
        )}
      </header>
      <Split
        aria-label={alert?.name ?? "New alert"}
        sideLabel="Settings"
        side={
          form.refusal === undefined && (
            <FormPanel form={form} label="Settings" isNew={!alert}>
              <AlertForm form={form} />
            </FormPanel>
          )
        }
      >
        {alert ? (
          <AlertNow alert={alert} />
        ) : (
          <p className="muted">{ruleWords(toBody(form.values, undefined).rule)}.</p>
        )}
      </Split>
      {isLeaving && (
        <Confirm
          title={`Delete ${alert?.name ?? ""}?`}
          act="Delete alert"
          onAct={() => void remove.run({ params })}
          onClose={() => setLeaving(false)}
        >
          <p>Deletes the alert and its history. Recipients are no longer notified.</p>
        </Confirm>
      )}
    </div>
  );
}

function AlertNow({ alert }: { readonly alert: Alert }) {
  const { id, state, value, reason, rule, enabled, everyMinutes } = alert;
  const history =
    useOp("alerts.history", { params: { id }, query: { limit: 50 } }).data?.data ?? [];
  const check = useCommand("alerts.check");
  return (
    <>
      <Panel>
        <Row gap={6} wraps>
          <Text as="strong" size="2xl">
            {formatValue(value)}
          </Text>
          <div className="grow">
            <State
              state={enabled ? state : "paused"}
              {...(enabled && { label: STATE_WORDS[state] })}
            />{" "}
            <span>{reason ?? "Not checked yet."}</span>
            <p className="muted">
              {ruleWords(rule)}. Checked every {everyMinutes} min.
            </p>
          </div>
          <CommandButton command={check} onPress={() => void check.run({ params: { id } })}>
            <RefreshCw /> Check now
          </CommandButton>
        </Row>
      </Panel>
      <Stack as="section" aria-label="History">
        <h2>History</h2>
        {history.length === 0 ? (
          <p className="muted">
            This alert has not fired yet. Workflows can start on the event alert.fired.
          </p>
        ) : (
          <Timeline
            label="History"
            entries={history.map((entry) => ({
              id: entry.at,
              at: entry.at,
              title: `${entry.state === "fired" ? "Fired" : "Resolved"}: ${entry.reason}`,
              tone: entry.state === "fired" ? ("bad" as const) : ("ok" as const),
            }))}
          />
        )}
      </Stack>
    </>
  );
}
