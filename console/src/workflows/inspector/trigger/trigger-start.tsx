/** Whatever somebody needs to start a workflow, or to know when it starts: address, curl line, next times. */
import { useDebounced } from "../../../code/index.ts";
import { useOp } from "../../../data/api.ts";
import { BASE_PATH, ENVIRONMENTS, place } from "../../../data/place.ts";
import { CopyLine } from "../../../ui/copy-line.tsx";
import { toWords } from "../../../ui/words.ts";
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
      <WhereOn workflowId={workflowId} />
    </>
  );
}

/** The address belongs to the saved workflow; a draft has none of its own. */
function HookAddress({ trigger, workflowId }: TriggerStartProps) {
  const saved = useOp("workflows.get", { params: { id: workflowId } }).data?.data.trigger;
  if (saved?.url === undefined) {
    return (
      <p className="muted">
        {saved?.type === "webhook"
          ? "Its address is shown to those who may trigger it."
          : "Its address is here once it is saved."}
      </p>
    );
  }
  const signed = trigger.signature ? ` -H '${trigger.signature.header ?? "X-Signature"}: …'` : "";
  const line = `curl -X POST '${saved.url}' -H 'Content-Type: application/json'${signed} -d '{"hello":"world"}'`;
  return (
    <>
      <CopyLine label={`Address in ${place.environment}`} text={saved.url} />
      <CopyLine label="Try it" text={line} />
      <p className="muted">
        A POST starts a run. Expressions see <code className="mono">trigger.input</code> with{" "}
        <code className="mono">body</code>, <code className="mono">headers</code> and{" "}
        <code className="mono">query</code>.
      </p>
    </>
  );
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
      label="Start it from outside"
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
    <section className="due-times" aria-label="Next times">
      <h2>Next times{zone === undefined || zone === "" ? " (UTC)" : ` in ${zone}`}</h2>
      {error ? (
        <p className="muted">Once the schedule is right they stand here.</p>
      ) : (
        <ol>
          {(data?.data.times ?? []).map((time) => (
            <li key={time}>
              <time dateTime={time} title={new Date(time).toLocaleString()}>
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

/** A trigger is on or off in each environment by itself. */
function WhereOn({ workflowId }: { readonly workflowId: string }) {
  const data = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  if (!data) return null;
  return (
    <table className="trigger-places">
      <caption className="hide">Where it is on</caption>
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
