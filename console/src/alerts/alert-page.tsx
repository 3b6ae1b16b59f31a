/** One alert: its number now, when it fired, and what it looks at. */
import "./alerts.css";
import { formatValue } from "@millrace/client/chart";
import { useNavigate, useParams } from "@tanstack/react-router";
import { RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, etagOf, invalidate, type Schemas, useOp } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { useMay, useMe } from "../data/people.ts";
import { PageError } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { Timeline } from "../ui/display/timeline.tsx";
import { Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { State } from "../ui/state.tsx";
import { notify } from "../ui/toast.tsx";
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
  rule: { kind: "above", threshold: 0 },
  everyMinutes: 5,
  enabled: true,
};

function AlertView({ alert, userId }: { readonly alert?: Alert; readonly userId: string }) {
  const navigate = useNavigate();
  const may = useMay();
  const [etag] = useState(() => alert && etagOf("alerts.get", { params: { id: alert.id } }));
  const [draft, setDraft] = useState<AlertDraft>(alert ?? { ...START, notify: [userId] });
  const [isLeaving, setLeaving] = useState(false);
  const refusal = may("analytics:write") ? undefined : "You may not change alerts.";
  const sources = useOp("reports.sources", { query: { limit: 200 } }).data?.data;
  const source = sources?.find(({ kind }) => kind === draft.report.source.kind);
  // Its checks have the rights of whoever saves it.
  const isHidden = source !== undefined && !may(source.permission);
  const saveRefusal = refusal ?? (isHidden ? "You may not read what it looks at." : undefined);
  const save = async (): Promise<void> => {
    const { name, report, rule, everyMinutes, enabled } = draft;
    const body = { name, report, rule, everyMinutes, enabled, notify: [...draft.notify] };
    try {
      const { data } = alert
        ? await call(
            "alerts.update",
            { params: { id: alert.id }, body },
            etag === undefined ? {} : { ifMatch: etag },
          )
        : await call("alerts.create", { body });
      notify(`${name} is saved.`);
      if (!alert) await navigate({ to: "/alerts/$id", params: { id: data.id } });
    } catch (error) {
      notify(describeRefusal(error));
    }
  };
  const remove = (): void =>
    void call("alerts.delete", { params: { id: alert?.id ?? "" } }).then(
      () => navigate({ to: "/alerts" }),
      (error: unknown) => notify(describeRefusal(error)),
    );
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="cut">{alert?.name ?? "New alert"}</h1>
        <span className="grow" />
        {alert && (
          <button
            type="button"
            className="btn bare icon"
            aria-label="Delete the alert"
            disabled={refusal !== undefined}
            title={refusal}
            onClick={() => setLeaving(true)}
          >
            <Trash2 />
          </button>
        )}
        <button
          type="button"
          className="btn main"
          disabled={saveRefusal !== undefined || draft.name.trim() === ""}
          title={saveRefusal}
          onClick={() => void save()}
        >
          Save
        </button>
      </header>
      <div className="alert-body">
        <div className="alert-main">
          {alert ? (
            <AlertNow alert={alert} refusal={refusal} />
          ) : (
            <p className="muted">{ruleWords(draft.rule)}.</p>
          )}
        </div>
        {refusal === undefined && <AlertForm draft={draft} onChange={setDraft} />}
      </div>
      {isLeaving && (
        <Confirm
          title={`Delete ${alert?.name ?? ""}?`}
          act="Delete"
          onAct={remove}
          onClose={() => setLeaving(false)}
        >
          <p>Its history goes with it, and nobody is told any more.</p>
        </Confirm>
      )}
    </div>
  );
}

function AlertNow({
  alert,
  refusal,
}: {
  readonly alert: Alert;
  readonly refusal: string | undefined;
}) {
  const { id, state, value, reason, rule, enabled, everyMinutes } = alert;
  const history =
    useOp("alerts.history", { params: { id }, query: { limit: 50 } }).data?.data ?? [];
  const check = (): void =>
    void call("alerts.check", { params: { id } }).then(
      () => invalidate(["alerts."]),
      (error: unknown) => notify(describeRefusal(error)),
    );
  return (
    <>
      <div className="alert-now">
        <strong>{formatValue(value)}</strong>
        <div className="grow">
          <State
            state={enabled ? state : "paused"}
            {...(enabled && { label: STATE_WORDS[state] })}
          />{" "}
          <span>{reason ?? "Not checked yet."}</span>
          <p className="muted">
            {ruleWords(rule)}. It is checked every {everyMinutes} min.
          </p>
        </div>
        <button
          type="button"
          className="btn"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={check}
        >
          <RefreshCw /> Check now
        </button>
      </div>
      <section className="alert-history" aria-label="History">
        <h2>History</h2>
        {history.length === 0 ? (
          <p className="muted">
            It has not fired yet. Workflows can start with the event alert.fired.
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
      </section>
    </>
  );
}
