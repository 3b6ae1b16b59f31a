/** The field that had the caret last: "Use this value" inserts there. */
import { createContext, use } from "react";

export interface CaretField {
  readonly label: string;
  readonly insert: (path: string) => void;
}

interface Caret {
  readonly field: CaretField | undefined;
  readonly onFocus: (field: CaretField) => void;
}

export const CaretContext = createContext<Caret>({ field: undefined, onFocus: () => undefined });

export const useCaret = (): Caret => use(CaretContext);
