import { Link, useNavigate } from "@tanstack/react-router";
import { Download, Ellipsis, Settings2, ShieldCheck, Upload } from "lucide-react";
import { useEffect, useState } from "react";
import { useRefusals } from "../data/people.ts";
import { BASE_PATH } from "../data/place.ts";
import { useWork } from "../data/use-command.ts";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { useStableHandlers } from "../ui/behaviour/stable.ts";
import { Menu } from "../ui/overlay/menu.tsx";
import type { GridColumn, TableShape } from "./column/column.ts";
import { exportRecords } from "./list/export-records.ts";
import type { LayoutState } from "./views/use-layout.ts";
import { TextInput } from "../ui/form/controls.tsx";

const PAUSE_MS = 200;

interface TableHeadProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly state: LayoutState;
}

/** The table's title, search and actions. */
export function TableHead({ table, state }: TableHeadProps) {
  const refusalOf = useRefusals();
  const navigate = useNavigate();
  const { slug } = table;
  const { layout, search } = state;
  const saving = useWork(undefined);
  const save = (): void =>
    void saving.run(() =>
      exportRecords(slug, { filter: layout.filter, q: search.q, sort: layout.sort }),
    );
  return (
    <header className="page-head table-head">
      <h1 className="cut">
        <Link to="/tables" className="muted wide-only">
          Tables
        </Link>
        <span className="muted wide-only"> / </span>
        <span title={table.description || undefined}>{table.name}</span>
      </h1>
      <span className="grow" />
      <SearchField value={search.q ?? ""} onChange={(q) => state.show({ q: q || undefined })} />
      <Menu
        label="Table actions"
        items={[
          {
            label: "Edit columns…",
            icon: <Settings2 className="ico" />,
            disabled: refusalOf("tables.create"),
            onPick: () => void navigate({ to: "/tables/$slug/design", params: { slug } }),
          },
          {
            label: "Access rules…",
            icon: <ShieldCheck className="ico" />,
            disabled: refusalOf("tables.create"),
            onPick: () => void navigate({ to: "/tables/$slug/rules", params: { slug } }),
          },
          {
            label: "Import file…",
            icon: <Upload className="ico" />,
            disabled: refusalOf("records.create"),
            onPick: () => void navigate({ to: "/tables/$slug/import", params: { slug } }),
          },
          { label: "Download CSV", icon: <Download className="ico" />, onPick: save },
          {
            label: "API reference",
            isApart: true,
            onPick: () => void open(`${BASE_PATH}/docs#tag/tables`, "_blank", "noopener"),
          },
        ]}
      >
        <Ellipsis />
      </Menu>
    </header>
  );
}

function SearchField(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [text, setText] = useState(props.value);
  const late = useDebounced(text, PAUSE_MS);
  const { look } = useStableHandlers({
    look: (words: string) => {
      if (words !== props.value) props.onChange(words);
    },
  });
  // Searches only after the user stops typing.
  useEffect(() => look(late), [late, look]);
  return (
    <TextInput
      className="table-search"
      type="search"
      aria-label="Search this table"
      placeholder="Search…"
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
