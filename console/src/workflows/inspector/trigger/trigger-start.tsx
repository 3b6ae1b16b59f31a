/** How to start a workflow: address, curl command and next scheduled times. */
import { Zap } from "lucide-react";
import { useDebounced } from "../../../code/index.ts";
import { useOp } from "../../../data/api.ts";
import { BASE_PATH, ENVIRONMENTS, place } from "../../../data/place.ts";
import { CopyLine } from "../../../ui/copy-line.tsx";
import { toMoment, toWords } from "../../../ui/words.ts";
import { TRIGGER_ICONS } from "../../canvas/step-kinds.ts";
import type { Definition } from "../../graph/graph.ts";

type Trigger = Definition["trigger"];

interface TriggerStartProps {
  readonly trigger: Trigger;
  readonly workflowId: string;
}

const PAUSE_MS = 400;

export function TriggerStart({ trigger, workflowId }: TriggerStartProps) {
  return (
    <>
      {trigger.type === "webhook" && <HookAddress trigger={trigger} workflowId={workflowId} />}
      {trigger.type === "manual" && <ManualLine workflowId={workflowId} />}
      {trigger.type === "schedule" && trigger.cron !== undefined && (
        <DueTimes cron={trigger.cron} timezone={trigger.timezone} />
      )}
      {(trigger.type === "form" || trigger.type === "chat") && (
        <PageAddress type={trigger.type} workflowId={workflowId} />
      )}
      <FurtherTriggers workflowId={workflowId} />
      <WhereOn workflowId={workflowId} />
    </>
  );
}

/** The address belongs to the saved workflow and to the current environment; an unsaved draft does not have one. */
function HookAddress({ trigger, workflowId }: TriggerStartProps) {
  const workflow = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  const saved = workflow?.trigger;
  if (saved?.url === undefined) {
    return (
      <p className="muted">
        {saved?.type === "webhook"
          ? "You don't have permission to see the URL: it requires the permission to start workflows."
          : "Save the workflow to get the URL."}
      </p>
    );
  }
  const signed = trigger.signature ? ` -H '${trigger.signature.header ?? "X-Signature"}: …'` : "";
  const line = `curl -X POST '${saved.url}' -H 'Content-Type: application/json'${signed} -d '{"hello":"world"}'`;
  return (
    <>
      <CopyLine label={`URL in ${place.environment}`} text={saved.url} />
      <CopyLine label="Example request" text={line} />
      {!workflow?.environments[place.environment] && <NotDeployed />}
      <p className="muted">
        A POST request starts a run. Expressions can use <code className="mono">trigger.input</code>{" "}
        with <code className="mono">body</code>, <code className="mono">headers</code> and{" "}
        <code className="mono">query</code>.
      </p>
    </>
  );
}

const NotDeployed = () => (
  <p className="muted">
    Not deployed to {place.environment}: the URL responds with “Not found”. Deploy the workflow.
  </p>
);

/** A link to the public form or chat page, which opens in a new tab. */
function PageAddress({ type, workflowId }: { readonly type: string; readonly workflowId: string }) {
  const workflow = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  const saved = workflow?.trigger;
  if (saved?.type !== type || saved.url === undefined) {
    return <p className="muted">Save and deploy the workflow to get the page.</p>;
  }
  return (
    <>
      <CopyLine label={`Page in ${place.environment}`} text={saved.url} />
      {!workflow?.environments[place.environment] && <NotDeployed />}
      <p>
        <a href={saved.url} target="_blank" rel="noreferrer">
          Open page
        </a>
      </p>
    </>
  );
}

/** The other triggers of the deployed workflow: address, curl command, secret and next times. */
function FurtherTriggers({ workflowId }: { readonly workflowId: string }) {
  const { data } = useOp("workflows.triggers", { params: { id: workflowId } });
  const here = data?.data.environments.find(({ environment }) => environment === place.environment);
  const further = here?.triggers.slice(1) ?? [];
  if (further.length === 0) return null;
  return (
    <section aria-label="More triggers">
      <h2>More triggers</h2>
      {further.map(({ id, trigger, call, secret, nextTimes }) => (
        <div key={id}>
          <h3 className="row">
            <TriggerIcon type={trigger.type} />
            {trigger.name ?? id} <span className="muted">{toWords(trigger.type)}</span>
          </h3>
          {call && <CopyLine label="Example request" text={toCurl(call)} />}
          {secret !== null && <p className="muted">Its secret is {secret}.</p>}
          {nextTimes[0] !== undefined && (
            <p className="muted">
              Next at <time dateTime={nextTimes[0]}>{toMoment(nextTimes[0])}</time>
            </p>
          )}
        </div>
      ))}
    </section>
  );
}

function TriggerIcon({ type }: { readonly type: string }) {
  const Icon = TRIGGER_ICONS[type] ?? Zap;
  return <Icon className="ico" />;
}

interface SampleCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function toCurl({ method, url, headers, body }: SampleCall): string {
  const flags = Object.entries(headers).map(([name, value]) => ` -H "${name}: ${value}"`);
  return `curl -X ${method} '${url}'${flags.join("")}${body === "" ? "" : ` -d '${body}'`}`;
}

function ManualLine({ workflowId }: { readonly workflowId: string }) {
  const headers = [
    "Authorization: Bearer $TOKEN",
    `X-Workspace: ${place.workspace ?? ""}`,
    `X-Environment: ${place.environment}`,
    "Content-Type: application/json",
  ];
  const address = `${location.origin}${BASE_PATH}/api/v1/workflows/${workflowId}/trigger`;
  const flags = headers.map((header) => `-H "${header}"`).join(" ");
  return (
    <CopyLine
      label="Start with the API"
      text={`curl -X POST '${address}' ${flags} -d '{"input":{}}'`}
    />
  );
}

function DueTimes({
  cron,
  timezone,
}: {
  readonly cron: string;
  readonly timezone: string | undefined;
}) {
  const late = useDebounced(cron, PAUSE_MS);
  const zone = useDebounced(timezone, PAUSE_MS);
  const { data, error } = useOp(
    "workflows.due_times",
    { query: { cron: late, ...(zone !== undefined && zone !== "" && { timezone: zone }) } },
    { enabled: late !== "" },
  );
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    weekday: undefined,
    ...(error === null && zone !== undefined && zone !== "" && { timeZone: zone }),
  });
  return (
    <section className="due-times" aria-label="Next runs">
      <h2>Next runs{zone === undefined || zone === "" ? " (UTC)" : ` in ${zone}`}</h2>
      {error ? (
        <p className="muted">Enter a valid schedule to see the next runs.</p>
      ) : (
        <ol>
          {(data?.data.times ?? []).map((time) => (
            <li key={time}>
              <time dateTime={time} title={toMoment(time)}>
                {dayOf(time, zone)} {format.format(new Date(time))}
              </time>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function dayOf(time: string, timeZone: string | undefined): string {
  const options = { weekday: "short", timeZone: timeZone || "UTC" } as const;
  return new Intl.DateTimeFormat("en-GB", options).format(new Date(time));
}

/** Triggers are enabled separately for each environment. */
function WhereOn({ workflowId }: { readonly workflowId: string }) {
  const data = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  if (!data) return null;
  return (
    <table className="trigger-places">
      <caption className="hide">Environments</caption>
      <tbody>
        {ENVIRONMENTS.map((environment) => {
          const deployed = data.environments[environment];
          const tone = deployed?.enabled ? "ok" : "idle";
          return (
            <tr key={environment}>
              <th scope="row">{toWords(environment)}</th>
              <td>{deployed ? `Version ${deployed.version}` : "Not deployed"}</td>
              <td>
                <span className={`tag ${tone}`}>{deployed?.enabled ? "On" : "Off"}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
