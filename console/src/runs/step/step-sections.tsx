/** The sections of a step: error, wait, call, values and logs. */
import { Link } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { Fragment, memo, type ReactNode } from "react";
import type { Schemas } from "../../data/api.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Json } from "../../ui/json/json.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { useNow } from "../../ui/time.tsx";
import { toCountdown, toDuration, toMoment, toWords } from "../../ui/words.ts";
import type { RunStep } from "../../workflows/index.ts";
import { FileChips } from "./file-chips.tsx";
import {
  type listSeenValues,
  markField,
  plainMessage,
  pointerWords,
  readPointer,
} from "./step-error.ts";
import { useNames } from "../../data/names/names.ts";
import { Button } from "../../ui/form/button.tsx";

type StepError = NonNullable<RunStep["error"]>;

/** The error in its field, with the expression underlined. */
export function ErrorSection(props: {
  readonly error: Omit<StepError, "headers" | "body" | "status">;
  readonly config: Readonly<Record<string, unknown>> | undefined;
  /** The values of the expression at that time. */
  readonly seen?: ReturnType<typeof listSeenValues>;
  readonly children?: ReactNode;
}) {
  const { code, message, field, expression } = props.error;
  const written = field === undefined ? undefined : readPointer(props.config, field);
  const text = typeof written === "string" ? written : expression;
  const marked = text === undefined ? undefined : markField(text, expression, message);
  return (
    <section className="run-section run-fault" role="alert">
      <p className="run-fault-message">{plainMessage(message)}</p>
      {marked && (
        <figure className="run-culprit">
          {field !== undefined && <figcaption>{pointerWords(field)}</figcaption>}
          <code>
            {marked.before}
            <mark>{marked.marked}</mark>
            {marked.after}
          </code>
          {props.seen && props.seen.length > 0 && (
            <dl className="run-seen">
              {props.seen.map(({ path, value }) => (
                <Fragment key={path}>
                  <dt>{path}</dt>
                  <dd>{value === undefined ? "nothing" : shorten(JSON.stringify(value))}</dd>
                </Fragment>
              ))}
            </dl>
          )}
        </figure>
      )}
      <p className="row">
        <span className="mono muted grow">{code}</span>
        {props.children}
      </p>
    </section>
  );
}

const SHOWN_CHARACTERS = 160;

const shorten = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

/** The wait of a step: reason, end time and a link. */
export function WaitSection({
  wait,
  runId,
  stepId,
}: {
  readonly wait: Schemas["RunStepWait"];
  readonly runId: string;
  readonly stepId: string;
}) {
  const nameOf = useNames();
  return (
    <section className="run-section run-wait">
      <p>
        <strong>{nameWait(wait)}</strong>
        {wait.until !== null && <WaitUntil until={wait.until} kind={wait.kind} />}
      </p>
      {wait.kind === "approval" && (
        <>
          {wait.message !== undefined && <p className="run-ask">{wait.message}</p>}
          <p className="muted">
            Approvers: {wait.approvers?.map((one) => nameOf(one) ?? toWords(one)).join(", ")}
            {(wait.quorum ?? 1) > 1 &&
              `; ${wait.decisions?.length ?? 0} of ${wait.quorum} approved`}
          </p>
          <Link className="btn" to="/approvals" search={{ open: `${runId}:${stepId}` }}>
            Open approval
          </Link>
        </>
      )}
      {wait.kind === "child" && wait.runId !== undefined && (
        <Link className="btn" to="/runs/$id" params={{ id: wait.runId }}>
          Open child run
        </Link>
      )}
      {wait.kind === "event" && wait.filter !== undefined && (
        <Json value={wait.filter} label="Filter of the event" />
      )}
    </section>
  );
}

function nameWait(wait: Schemas["RunStepWait"]): string {
  if (wait.kind === "event") return `Waiting for ${wait.eventType ?? wait.topic ?? "an event"}`;
  const names = {
    delay: "Delayed",
    call: "Waiting for a request to the resume URL",
    form: `Waiting for a form response: ${wait.message ?? ""}`,
    approval: "Waiting for approval",
    child: "Waiting for the child run",
    retry: "Failed, retries",
  };
  return names[wait.kind];
}

function WaitUntil({ until, kind }: { readonly until: string; readonly kind: string }) {
  const leftMs = Date.parse(until) - useNow();
  const word = kind === "retry" ? "in" : kind === "delay" ? "for another" : "for at most another";
  return (
    <time dateTime={until} title={toMoment(until)}>
      {leftMs > 0 ? ` ${word} ${toCountdown(leftMs)}` : " in a moment"}
    </time>
  );
}

/** An external call in one line: request and response. */
export function CallLine({ step }: { readonly step: RunStep }) {
  const { method, url } = fieldsOf(step.input);
  if (typeof url !== "string") return null;
  const status = step.error?.status ?? fieldsOf(step.output)["status"];
  const isBad = typeof status !== "number" || status >= 400;
  return (
    <p className="run-call mono">
      <b>{typeof method === "string" ? method : "GET"}</b>
      <span className="cut grow" title={url}>
        {url}
      </span>
      {step.finishedAt !== null && (
        <span className={`tag plain ${isBad ? "bad" : "ok"}`}>
          {typeof status === "number" ? status : "no response"}
        </span>
      )}
      <span className="muted">{toDuration(step.durationMs)}</span>
    </p>
  );
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};

/** A named value. Memoized, because values can be large. */
export const ValueSection = memo(function ValueSection(props: {
  readonly title: string;
  readonly value: unknown;
  /** The path for expressions. */
  readonly path: string;
  readonly none: string;
}) {
  const { title, value } = props;
  return (
    <section className="run-section">
      <h3>
        <span className="grow">{title}</span>
        {value !== undefined && (
          <Button
            look="bare"
            isIcon
            aria-label={`Copy: ${title}`}
            title="Copy as JSON"
            onClick={() => void copyText(JSON.stringify(value, null, 2), `${title} is`)}
          >
            <Copy />
          </Button>
        )}
      </h3>
      <FileChips value={value} />
      {value === undefined ? (
        <p className="muted">{props.none}</p>
      ) : (
        <JsonTree value={value} path={props.path} label={title} />
      )}
    </section>
  );
});

export function LogSection({ logs }: { readonly logs: RunStep["logs"] }) {
  if (logs.length === 0) return null;
  return (
    <section className="run-section">
      <h3>Logs</h3>
      <ol className="run-log" tabIndex={0} aria-label="Logs">
        {logs.map(({ at, level, message, metadata }, n) => (
          <li key={`${at}:${n}`} className={`run-log-${level}`}>
            <time dateTime={at}>{at.slice(11, 23)}</time>
            <b>{level}</b>
            <span>
              {message}
              {metadata !== undefined && <span className="muted"> {JSON.stringify(metadata)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
