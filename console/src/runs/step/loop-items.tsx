import { useState } from "react";
import { toneOf } from "../../ui/state.tsx";
import { count, toWords } from "../../ui/words.ts";
import { type LoopView, type NodeSummary, toStepKey } from "../../workflows/index.ts";
import { useStepPages } from "./loop-steps.ts";
import { itemPathOf, readStepPlace, type StepPlace } from "./step-place.ts";
import { PlainButton } from "../../ui/form/button.tsx";

/** The order of importance. */
const ORDER = ["failed", "paused", "waiting", "running", "cancelled", "completed"];

/** Shows loop items as counts, and their steps by status and page. */
export function LoopItems(props: {
  readonly runId: string;
  readonly loopKey: string;
  readonly loop: LoopView;
  readonly nodes: ReadonlyMap<string, NodeSummary>;
  readonly place: StepPlace;
  readonly onChoose: (place: StepPlace) => void;
}) {
  const { loopKey, loop } = props;
  const { items, done, failures } = loop;
  const [wanted, setWanted] = useState<string>();
  const counts = countInside(props.nodes, loopKey);
  const shown = ORDER.filter((status) => (counts.get(status) ?? 0) > 0);
  const status = wanted ?? shown[0];
  const around = itemPathOf({
    key: loopKey.slice(0, Math.max(0, loopKey.lastIndexOf("/"))),
    items: props.place.items,
  });
  const query = { node: `${loopKey}/`, ...(around !== undefined && { item: around }) };
  const { steps, hasMore, readMore } = useStepPages(
    props.runId,
    status === undefined ? undefined : { ...query, status },
  );
  return (
    <section className="run-section">
      <h3>Items</h3>
      <p className="run-share" aria-hidden="true">
        <i className="ok" style={{ flexGrow: Math.max(0, done - failures) }} />
        <i className="bad" style={{ flexGrow: failures }} />
        <i className="idle" style={{ flexGrow: Math.max(0, items - done) }} />
      </p>
      <p>
        {count(items, "item")}, {done.toLocaleString("en")} done
        {failures > 0 && <b className="run-failed"> {failures.toLocaleString("en")} failed</b>}
      </p>
      {shown.length > 1 && (
        <div className="fall-filter" role="group" aria-label="Status of the steps in the loop">
          {shown.map((name) => (
            <PlainButton
              key={name}
              className={toneOf(name)}
              aria-pressed={name === status}
              onClick={() => setWanted(name)}
            >
              {counts.get(name)?.toLocaleString("en")} {toWords(name).toLowerCase()}
            </PlainButton>
          ))}
        </div>
      )}
      {steps.length > 0 && status !== undefined && (
        <ul className="run-items" aria-label={`${toWords(status)} items`}>
          {steps.map((step) => (
            <li key={step.id}>
              <PlainButton onClick={() => props.onChoose(readStepPlace(step.id, undefined))}>
                <b>{numberIn(step.id, loopKey)}</b>
                <span className="cut">{step.name}</span>
                <span className="muted cut grow">
                  {step.error?.message ?? toWords(step.status)}
                </span>
              </PlainButton>
            </li>
          ))}
          {hasMore && (
            <li>
              <PlainButton className="run-more" onClick={readMore}>
                Show more
              </PlainButton>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

/** Counts the steps in a loop by status, including nested loops. */
function countInside(
  nodes: ReadonlyMap<string, NodeSummary>,
  loopKey: string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key, statuses } of nodes.values()) {
    if (!key.startsWith(`${loopKey}/`)) continue;
    for (const [name, n] of Object.entries(statuses)) counts.set(name, (counts.get(name) ?? 0) + n);
  }
  return counts;
}

/** Returns the item numbers of a step within the loop, starting at 1: `4`, or `4.1` with a nested loop. */
function numberIn(id: string, loopKey: string): string {
  const depth = loopKey.split("/").length - 1;
  const items = Array.from(id.matchAll(/\[(\d+)\]/g), ([, n]) => Number(n) + 1);
  return toStepKey(id) === loopKey ? "" : items.slice(depth).join(".");
}
