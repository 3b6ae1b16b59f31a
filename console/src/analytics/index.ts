export { Builder } from "./builder/builder.tsx";
export {
  type History,
  NEW_REPORT,
  pushHistory,
  redoHistory,
  type ReportDraft,
  undoHistory,
} from "./builder/model.ts";
export { PERIODS, periodWords } from "./builder/periods.ts";
export { Explain } from "./rows/explain.tsx";
export { FigureView } from "../ui/figure/figure-view.tsx";
export { useFieldTitles } from "./rows/field-titles.ts";
export { RowsSheet, type Drill } from "./rows/rows-sheet.tsx";
