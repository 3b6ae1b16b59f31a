/// <reference lib="dom" />
/** Drag and drop of cards between the columns of a board. Buttons provide the same for keyboards. */
interface MovedCard {
  readonly part: string;
  readonly row: string;
  readonly to: string;
  readonly trigger: Element;
}

export function handleDrag(root: Element, onMove: (card: MovedCard) => void): void {
  let dragged: HTMLElement | undefined;
  const findColumn = (event: DragEvent): HTMLElement | undefined => {
    const column = (event.target as Element).closest<HTMLElement>("[data-column]");
    return column && column.dataset["part"] === dragged?.dataset["part"] ? column : undefined;
  };
  const mark = (column: Element | undefined): void => {
    for (const one of root.querySelectorAll(".board-column.over"))
      if (one !== column) one.classList.remove("over");
    column?.classList.add("over");
  };
  root.addEventListener("dragstart", (event) => {
    dragged = (event.target as Element).closest<HTMLElement>("[data-drag]") ?? undefined;
    dragged?.classList.add("dragged");
  });
  root.addEventListener("dragover", (event) => {
    const column = findColumn(event as DragEvent);
    if (column) event.preventDefault();
    mark(column);
  });
  root.addEventListener("drop", (event) => {
    const column = findColumn(event as DragEvent);
    const { part = "", drag: row = "" } = dragged?.dataset ?? {};
    if (!column || !dragged) return;
    event.preventDefault();
    onMove({ part, row, to: column.dataset["column"] ?? "", trigger: dragged });
  });
  root.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = undefined;
    mark(undefined);
  });
}
