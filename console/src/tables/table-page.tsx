/** A table: its records as a grid, board, calendar or form, in saved views. */
import "./table-page.css";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useOp } from "../data/api.ts";
import { isMoment } from "../past/index.ts";
import { PageError } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { Loading } from "../ui/feedback.tsx";
import { type TableShape, toGridColumns } from "./column/column.ts";
import { GridScreen } from "./grid/grid-screen.tsx";
import { RecordPanel } from "./record/record-panel.tsx";
import { TableHead } from "./table-head.tsx";
import { BoardView } from "./views/board.tsx";
import { CalendarView } from "./views/calendar.tsx";
import { FormView } from "./views/form-view.tsx";
import { useLayoutState } from "./views/use-layout.ts";
import { ViewTabs } from "./views/view-tabs.tsx";

export function TablePage() {
  const { slug } = useParams({ from: "/inside/tables/$slug" });
  const { data, error, refetch } = useOp("tables.get", { params: { slug } });
  const table = data?.data;
  useTitle(table?.name ?? "Table");
  if (error && !table) {
    return (
      <div className="page">
        <PageError error={error} retry={() => void refetch()} />
      </div>
    );
  }
  if (!table || table.slug !== slug) {
    return (
      <div className="page">
        <Loading rows={14} />
      </div>
    );
  }
  // The key resets all state: edits of one table must not be applied to another.
  return <TableScreen key={slug} table={table} />;
}

function TableScreen({ table }: { readonly table: TableShape }) {
  const { slug } = table;
  const columns = useMemo(() => toGridColumns(table), [table]);
  const state = useLayoutState(slug);
  const { layout, search, show } = state;
  const open = (id: string | undefined): void => show({ open: id, at: undefined });
  const shared = { table, columns, state, onOpen: open };
  return (
    <div className="page table-page">
      <TableHead {...shared} />
      <ViewTabs slug={slug} state={state} columns={columns} />
      <div className={search.open === undefined ? "table-body" : "table-body has-panel"}>
        <div className="table-main">
          {layout.kind === "board" && <BoardView {...shared} />}
          {layout.kind === "calendar" && <CalendarView {...shared} />}
          {layout.kind === "form" && state.view && (
            <FormView key={state.view.id} view={state.view} columns={columns} />
          )}
          {layout.kind === "grid" && <GridScreen {...shared} />}
        </div>
        {search.open !== undefined && (
          <RecordPanel
            key={search.open}
            table={table}
            columns={columns}
            recordId={search.open}
            at={isMoment(search.at) ? search.at : undefined}
            onAt={(at) => show({ at })}
            onClose={() => open(undefined)}
          />
        )}
      </div>
    </div>
  );
}
