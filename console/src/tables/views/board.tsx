/** Records as cards, grouped into columns by a choice field. Cards are moved by dragging or with their menu. */
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { useNames } from "../../data/names/names.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { choicesOf, type GridColumn, type TableShape } from "../column/column.ts";
import { nameIn, toText } from "../column/value.ts";
import { Choice } from "../cell/cell-content.tsx";
import { useAccess } from "../sheet/use-access.ts";
import { shownColumns } from "./layout.ts";
import type { LayoutState } from "./use-layout.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

const CARDS_MAX = 100;
const LINES_MAX = 4;
const DRAGGED = "text/x-millrace-record";

export interface ViewProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly state: LayoutState;
  readonly onOpen: (id: string | undefined) => void;
}

type Card = Readonly<Record<string, unknown>> & { readonly id: string; readonly revision: number };

export function BoardView({ table, columns, state, onOpen }: ViewProps) {
  const { layout } = state;
  const by = columns.find(({ name }) => name === layout.groupBy);
  if (!by)
    return (
      <Empty title="The column of this board was deleted">
        Create a new board with another column.
      </Empty>
    );
  return (
    <div className="stacks scroll" tabIndex={0} role="group" aria-label={`Board by ${by.title}`}>
      {[...choicesOf(by), null].map((value) => (
        <Stack key={value ?? ""} {...{ table, columns, state, onOpen, by, value }} />
      ))}
    </div>
  );
}

interface StackProps extends ViewProps {
  readonly by: GridColumn;
  readonly value: string | null;
}

function Stack({ table, columns, state, onOpen, by, value }: StackProps) {
  const { slug } = table;
  const { layout, search } = state;
  const access = useAccess(table);
  const [isOver, setOver] = useState(false);
  const own = { [by.name]: value === null ? { exists: false } : value };
  const filter = Object.keys(layout.filter).length === 0 ? own : { and: [layout.filter, own] };
  const { data, error } = useOp("records.list", {
    params: { slug },
    query: {
      filter: JSON.stringify(filter),
      limit: CARDS_MAX,
      count: "exact",
      ...(layout.sort !== "" && { sort: layout.sort }),
      ...(search.q !== undefined && { q: search.q }),
    },
  });
  const cards = (data?.data ?? []) as readonly Card[];
  if (value === null && cards.length === 0) return null;
  const move = async (id: string, to: string | null): Promise<void> => {
    const edits = [{ id, set: { [by.name]: to } }];
    await perform(
      "records.edit",
      { params: { slug }, body: { edits } },
      { said: `Moved to ${to ?? "no value"}` },
    );
  };
  const lines = shownColumns(columns, layout)
    .filter(({ name, isSystem }) => name !== by.name && !isSystem)
    .slice(0, LINES_MAX + 1);
  return (
    <section
      className={isOver ? "board-stack over" : "board-stack"}
      aria-label={value ?? "No value"}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const id = event.dataTransfer.getData(DRAGGED);
        if (id !== "" && !cards.some((card) => card.id === id)) void move(id, value);
      }}
    >
      <h3>
        {value === null ? (
          <span className="muted">No value</span>
        ) : (
          <Choice column={by} value={value} />
        )}
        <span className="muted">{(data?.pagination.total ?? 0).toLocaleString("en")}</span>
      </h3>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading rows={3} />}
      <ul>
        {cards.map((card) => (
          <BoardCard
            key={card.id}
            {...{ card, by, value, lines, onOpen }}
            refusal={access.update}
            onMove={(to) => void move(card.id, to)}
          />
        ))}
      </ul>
    </section>
  );
}

interface BoardCardProps {
  readonly card: Card;
  readonly by: GridColumn;
  readonly value: string | null;
  readonly lines: readonly GridColumn[];
  readonly refusal: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onMove: (to: string | null) => void;
}

function BoardCard(props: BoardCardProps) {
  const { card, by, value, lines, refusal, onOpen } = props;
  const nameOf = useNames();
  return (
    <li
      className="card"
      draggable={refusal === undefined}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, card.id)}
    >
      <PlainButton className="card-open" onClick={() => onOpen(card.id)}>
        <strong>{nameIn(card) ?? card.id}</strong>
        {lines.map((column) => {
          const text = toText(column, card[column.name], nameOf);
          return text === "" || text === nameIn(card) ? null : (
            <span key={column.name} className="cut">
              <span className="muted">{column.title}</span> {text}
            </span>
          );
        })}
      </PlainButton>
      <Select
        className="card-move"
        aria-label={`Move ${nameIn(card) ?? card.id}`}
        value={value ?? ""}
        disabled={refusal !== undefined}
        title={refusal ?? "Move to another column"}
        onChange={({ target }) => props.onMove(target.value || null)}
      >
        {!by.isRequired && <option value="">No value</option>}
        {choicesOf(by).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
    </li>
  );
}
