import "./causes.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { invalidate, useOp } from "../data/api.ts";
import { onEvent } from "../data/live/live.ts";
import { useActions } from "../shell/actions.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { CauseOutline, type CauseRow, type CauseTree, tellCounts, type Way } from "./cause-tree.ts";
import { collectThings } from "./known-things.ts";
import { useStepNames } from "./step-names.ts";
import { CauseTreeView } from "./cause-tree-view.tsx";
import { screenOf } from "./screen.ts";
import type { CausesSearch } from "./search.ts";
import { CauseSide } from "./side.tsx";
import { PlainButton } from "../ui/form/button.tsx";

const FRESH_AFTER_MS = 600;
const WAYS: readonly (readonly [Way, string])[] = [
  ["all", "All"],
  ["back", "Causes"],
  ["forth", "Effects"],
];

/** The trace of any resource: causes above, effects below, with the time on the left. */
export function Causes() {
  const { of } = useParams({ from: "/inside/causes/$of" });
  const { open } = useSearch({ from: "/inside/causes/$of" });
  const { data, error, refetch } = useOp("traces.get", {
    query: { of, ...(open !== undefined && { open }) },
  });
  const tree = data?.data;
  useFreshTrace(tree);
  if (!tree) {
    return (
      <div className="page">
        {error ? <ErrorNotice error={error} retry={() => void refetch()} /> : <Loading rows={6} />}
      </div>
    );
  }
  return <CauseScreen key={tree.of.id} of={of} tree={tree} error={error} />;
}

/** New events may extend the trace, so it is reloaded when no further events arrive for a moment. */
function useFreshTrace(tree: CauseTree | undefined): void {
  useEffect(() => {
    if (!tree) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const left = onEvent(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        invalidate(["traces."]);
      }, FRESH_AFTER_MS);
    });
    return () => {
      left();
      clearTimeout(timer);
    };
  }, [tree]);
}

function CauseScreen(props: {
  readonly of: string;
  readonly tree: CauseTree;
  readonly error: Error | null;
}) {
  const { of, tree } = props;
  const search = useSearch({ from: "/inside/causes/$of" });
  const navigate = useNavigate();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const outline = useMemo(() => new CauseOutline(tree), [tree]);
  const words = {
    things: useMemo(() => collectThings(tree.nodes), [tree]),
    nameStep: useStepNames(tree.nodes),
  };
  const way = search.way ?? "all";
  const rows = useMemo(
    () => outline.rows(closed, way, tree.focusIds),
    [outline, closed, way, tree.focusIds],
  );
  const chosen = rows.find(({ node }) => node.id === (search.at ?? tree.focusIds[0])) ?? rows[0];
  const show = (next: CausesSearch): void =>
    void navigate({
      to: "/causes/$of",
      params: { of },
      search: { ...search, ...next },
      replace: true,
    });
  const fold = (row: CauseRow, isOpen: boolean): void => {
    if (row.node.fan && !row.node.fan.open && isOpen && !closed.has(row.node.id)) {
      const fans = [...(search.open?.split(",") ?? []), row.node.id];
      return show({ at: row.node.id, open: fans.join(",") });
    }
    setClosed((old) => {
      const one = new Set([row.node.id]);
      return isOpen ? old.difference(one) : old.union(one);
    });
  };
  useTreeKeys(rows, chosen, { onFold: fold, onChoose: (at) => show({ at }) });
  return (
    <div className="page">
      <header className="page-head causes-head">
        <h1 className="cut">Causes and effects</h1>
        <div className="tabs" role="group" aria-label="Direction">
          {WAYS.map(([name, words]) => (
            <PlainButton
              key={name}
              aria-pressed={way === name}
              onClick={() => show({ way: name === "all" ? undefined : name })}
            >
              {words}
            </PlainButton>
          ))}
        </div>
        <span className="grow" />
        <span className="muted cut cause-counts">
          {tellCounts(tree.counts)}
          {tree.truncated && ". Not all entries are shown."}
        </span>
      </header>
      {props.error && <ErrorNotice error={props.error} />}
      {rows.length === 0 ? (
        <Empty title="No causes or effects">
          There are no causes or effects that you have permission to view.
        </Empty>
      ) : (
        <div className="causes">
          <CauseTreeView
            rows={rows}
            words={words}
            chosen={chosen?.node.id}
            onChoose={(at) => show({ at })}
            onFold={fold}
          />
          {chosen && (
            <CauseSide
              key={chosen.node.id}
              row={chosen}
              words={words}
              onOpen={() => fold(chosen, true)}
            />
          )}
        </div>
      )}
    </div>
  );
}

interface TreeActs {
  readonly onFold: (row: CauseRow, isOpen: boolean) => void;
  readonly onChoose: (id: string) => void;
}

/** `j k` move, `← →` collapse and expand, `↵` opens the resource's page. */
function useTreeKeys(
  rows: readonly CauseRow[],
  chosen: CauseRow | undefined,
  { onFold, onChoose }: TreeActs,
): void {
  const navigate = useNavigate();
  const at = chosen ? rows.indexOf(chosen) : -1;
  const walk = (by: number): void => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next) onChoose(next.node.id);
  };
  const leave = (): void => {
    const screen = chosen && screenOf(chosen.node);
    if (screen) void navigate(screen);
  };
  const close = (): void => {
    if (!chosen) return;
    if (chosen.isOpen && chosen.hasChildren) onFold(chosen, false);
    else if (chosen.node.parentId !== null) onChoose(chosen.node.parentId);
  };
  useActions([
    { keys: "j", label: "Next", run: () => walk(1) },
    { keys: "k", label: "Previous", run: () => walk(-1) },
    { keys: "ArrowDown", label: "Next", run: () => walk(1), hidden: true },
    { keys: "ArrowUp", label: "Previous", run: () => walk(-1), hidden: true },
    { keys: "ArrowLeft", label: "Collapse or go to cause", run: close },
    { keys: "ArrowRight", label: "Expand", run: () => chosen && onFold(chosen, true) },
    { keys: "Enter", label: "Open", run: leave },
  ]);
}
