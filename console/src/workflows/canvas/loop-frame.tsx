import type { NodeProps } from "@xyflow/react";
import { ChevronUp, ExternalLink, StickyNote } from "lucide-react";
import { memo, useId, useRef } from "react";
import { isLoopType } from "../graph/graph.ts";
import type { LoopView } from "../graph/run-view.ts";
import { type CardNode, LinkPlug, stopThen } from "./step-card.tsx";
import { kindOf } from "./step-kinds.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const FAILED_MAX = 200;
const LIST_WIDTH = 348;

/** The frame around the steps of a loop or of an inlined sub-workflow. */
export const LoopFrame = memo(function LoopFrame({ data, selected }: NodeProps<CardNode>) {
  const { key, step, run, loop, item, handlers, mark } = data;
  const { icon: Icon, tone } = kindOf(step.type);
  const isLoop = isLoopType(step.type);
  const looks = [
    "frame",
    `k-${tone}`,
    run?.status,
    selected && "selected",
    !isLoop && "guest",
    mark && `is-${mark}`,
    data.isUnconnected && "unconnected",
  ];
  return (
    <div className={looks.filter(Boolean).join(" ")}>
      <header>
        <span className="step-icon">
          <Icon />
        </span>
        <b className="cut">{step.name ?? step.id}</b>
        {isLoop && !loop && (
          <span className="muted cut frame-of">
            {data.isUnconnected ? "Not connected: does not run" : describeFrame(step)}
          </span>
        )}
        {loop && step.type !== "race" && (
          <LoopCount loop={loop} item={item} onItem={(next) => handlers.onItem(key, next)} />
        )}
        {step.note !== undefined && (
          <span
            className="step-note"
            role="img"
            aria-label={`Note: ${step.note}`}
            title={step.note}
          >
            <StickyNote />
          </span>
        )}
        <span className="grow" />
        {!isLoop && (
          <PlainButton
            className="fold nopan"
            aria-label="Open workflow"
            onClick={stopThen(() => handlers.onOpenWorkflow(String(step.config?.["workflowId"])))}
          >
            <ExternalLink />
          </PlainButton>
        )}
        <PlainButton
          className="fold nopan"
          aria-label="Collapse"
          onClick={stopThen(() => handlers.onFold(key))}
        >
          <ChevronUp />
        </PlainButton>
      </header>
      {!data.isReadOnly && <LinkPlug data={data} />}
    </div>
  );
});

function describeFrame({ type, config = {} }: CardNode["data"]["step"]): string {
  const plain = (value: unknown): string => textOf(value, "").replaceAll(/^\{\{\s*|\s*\}\}$/g, "");
  if (type === "race") return "continues after the fastest branch";
  if (type === "repeat")
    return config["until"] === undefined ? "" : `until ${plain(config["until"])}`;
  return `${textOf(config["as"], "item")} in ${plain(config["items"])}`;
}

/** Shows a count such as `37 of 500`, links to the failed items, and a switch between items. */
function LoopCount(props: {
  readonly loop: LoopView;
  readonly item: number | undefined;
  readonly onItem: (item: number | undefined) => void;
}) {
  const { items, done, failures, failed } = props.loop;
  const { item } = props;
  const go = (next: number | undefined) =>
    stopThen(() =>
      props.onItem(next === undefined ? undefined : Math.max(0, Math.min(items - 1, next))),
    );
  const isBad = failed.some((one) => one.item === item);
  return (
    <span className="loop-count nopan nowheel" onPointerDown={(event) => event.stopPropagation()}>
      {item === undefined ? (
        <PlainButton className="loop-chip" onClick={go(0)} title="Show one item">
          {done !== items && `${done.toLocaleString("en")} of `}
          {items.toLocaleString("en")}
          {done === items && <span className="loop-word">{items === 1 ? "item" : "items"}</span>}
          <i className="loop-bar">
            <i style={{ transform: `scaleX(${items === 0 ? 1 : done / items})` }} />
          </i>
        </PlainButton>
      ) : (
        <span className={`loop-chip${isBad ? " bad" : ""}`}>
          <PlainButton onClick={go(item - 1)} aria-label="Previous item">
            ‹
          </PlainButton>
          <PlainButton onClick={go(undefined)} title="All items">
            item {item + 1} of {items}
          </PlainButton>
          <PlainButton onClick={go(item + 1)} aria-label="Next item">
            ›
          </PlainButton>
        </span>
      )}
      {failures > 0 && <FailedItems failures={failures} failed={failed} go={go} />}
    </span>
  );
}

/** Rendered in the top layer: inside its node, later nodes would cover the list. */
function FailedItems(props: {
  readonly failures: number;
  readonly failed: LoopView["failed"];
  readonly go: (item: number) => (event: React.SyntheticEvent) => void;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <PlainButton className="loop-chip bad" popoverTarget={id} ref={button}>
        {props.failures.toLocaleString("en")}
        <span className="loop-word">failed</span>
      </PlainButton>
      <ul
        id={id}
        popover="auto"
        className="loop-failed scroll"
        aria-label="Failed items"
        onBeforeToggle={(event) => {
          const at = button.current?.getBoundingClientRect();
          if (!at) return;
          const { style } = event.currentTarget;
          style.left = `${Math.min(at.left, innerWidth - LIST_WIDTH)}px`;
          style.top = `${at.bottom + 6}px`;
        }}
      >
        {props.failed.slice(0, FAILED_MAX).map(({ item, step }) => (
          <li key={item}>
            <PlainButton popoverTarget={id} popoverTargetAction="hide" onClick={props.go(item)}>
              <b>{item + 1}</b>
              <span className="cut">{step.name}</span>
              <span className="muted cut">{step.error?.message}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Formats a field in one line. A literal list is shown as JSON. */
function textOf(value: unknown, otherwise: string): string {
  if (value === undefined || value === null) return otherwise;
  return typeof value === "string" ? value : JSON.stringify(value);
}
