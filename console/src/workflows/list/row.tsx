import { Link } from "@tanstack/react-router";
import {
  CalendarClock,
  ClipboardList,
  Ellipsis,
  Hand,
  type LucideIcon,
  MessagesSquare,
  Plug,
  RadioTower,
  Rss,
  Webhook,
} from "lucide-react";
import type { Reply } from "../../data/api.ts";
import { ENVIRONMENTS } from "../../data/place.ts";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { toDuration, toMoment, toWords } from "../../ui/words.ts";
import type { RunSummary } from "./recent-runs.ts";
import { stoppedWords } from "../deployed/stop-reason.ts";
import { Spark } from "./spark.tsx";

export type Listed = Reply<"workflows.list">["data"][number];

const TRIGGERS: Readonly<Record<string, readonly [LucideIcon, string]>> = {
  manual: [Hand, "Manual"],
  schedule: [CalendarClock, "Schedule"],
  event_bus: [RadioTower, "Event"],
  webhook: [Webhook, "Webhook"],
  form: [ClipboardList, "Form"],
  chat: [MessagesSquare, "Chat"],
  connector: [Plug, "App event"],
  rss: [Rss, "RSS feed"],
};

/** A row of the list: deployments, trigger, last runs and last change. */
export function WorkflowRow(props: {
  readonly workflow: Listed;
  readonly summary: RunSummary | undefined;
  /** The row index for `aria-rowindex`; the header row is 1. */
  readonly index: number;
  readonly isChosen: boolean;
  readonly items: readonly MenuItem[];
}) {
  const { id, name, description, tags = [], updatedAt } = props.workflow;
  const { summary } = props;
  const last = summary?.last.at(-1);
  const failures = summary?.failures ?? 0;
  return (
    <tr aria-current={props.isChosen} aria-rowindex={props.index}>
      <th scope="row">
        <Link to="/workflows/$id" params={{ id }} className="workflow-name">
          <span className="cut">
            {name}
            {tags.map((tag) => (
              <span key={tag} className="workflow-tag">
                {tag}
              </span>
            ))}
          </span>
          {description !== undefined && description !== "" && (
            <span className="muted cut">{description}</span>
          )}
        </Link>
      </th>
      <td>
        <EnvironmentStates workflow={props.workflow} />
      </td>
      <td className="wide-cell">
        <Trigger workflow={props.workflow} />
      </td>
      <td className="wide-cell">
        <Link
          to="/runs"
          search={{ workflow: id }}
          className="workflow-runs"
          aria-label={`Runs of ${name}`}
        >
          <Spark summary={summary} />
        </Link>
      </td>
      <td className="wide-cell number">
        {failures > 0 ? (
          <span className="tag bad plain">{failures}</span>
        ) : (
          <span className="muted">–</span>
        )}
      </td>
      <td className="wide-cell">
        {last ? <Ago at={last.createdAt} /> : <span className="muted">Never</span>}
      </td>
      <td className="wide-cell">
        <Ago at={updatedAt} />
      </td>
      <td className="workflow-acts">
        <Menu label={`Actions for ${name}`} className="btn bare icon" items={props.items}>
          <Ellipsis />
        </Menu>
      </td>
    </tr>
  );
}

function Trigger({ workflow: { trigger, activity } }: { readonly workflow: Listed }) {
  const [Icon, words] = TRIGGERS[trigger.type] ?? [Hand, toWords(trigger.type)];
  const detail = trigger.cron ?? trigger.eventType;
  const dueAt = activity?.nextDueAt;
  return (
    <span className="workflow-trigger" title={detail}>
      <Icon className="ico" /> {words}
      {dueAt ? (
        <NextTime at={dueAt} />
      ) : (
        detail !== undefined && <span className="mono muted cut">{detail}</span>
      )}
    </span>
  );
}

/** The time until the next scheduled run: `in 5 minutes`. */
function NextTime({ at }: { readonly at: string }) {
  const restMs = Math.max(0, Date.parse(at) - useNow());
  return (
    <time className="muted cut" dateTime={at} title={toMoment(at)}>
      in {toDuration(Math.ceil(restMs / 1_000) * 1_000)}
    </time>
  );
}

const SHORT = { production: "Prod", staging: "Stg", development: "Dev" };

/** The version in each environment: filled if its trigger is on, outlined if it is off, faint if not deployed. */
function EnvironmentStates({ workflow }: { readonly workflow: Listed }) {
  if (workflow.status === "archived") return <span className="tag idle">Archived</span>;
  return (
    <ul className="env-states">
      {ENVIRONMENTS.map((environment) => {
        const deployed = workflow.environments[environment];
        const stopped = deployed ? stoppedWords(deployed) : undefined;
        const state = stopped ? "stopped" : deployed ? (deployed.enabled ? "on" : "off") : "none";
        const words = { stopped, on: "deployed", off: "off", none: "not deployed" }[state];
        const version = deployed ? ` version ${deployed.version}` : "";
        const label = `${toWords(environment)}:${version} ${words ?? ""}`;
        return (
          <li key={environment} className={`env-state ${state} env-${environment}`} title={label}>
            <span className="hide">{label}</span>
            <span aria-hidden="true">
              {SHORT[environment]}
              {deployed && <b> v{deployed.version}</b>}
              {stopped !== undefined && " stopped"}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
