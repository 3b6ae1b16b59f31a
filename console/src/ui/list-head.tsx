import { Plus } from "lucide-react";
import type { ReactNode } from "react";

interface ListHeadProps {
  readonly title: string;
  /** As a sentence says it: "an app". */
  readonly thing: string;
  readonly words: string;
  readonly onFind: (words: string) => void;
  readonly children: ReactNode;
}

/** The head of a screen that lists things: its name, the words to find one by, and the acts. */
export function ListHead({ title, thing, words, onFind, children }: ListHeadProps) {
  return (
    <header className="page-head">
      <h1>{title}</h1>
      <span className="grow" />
      <input
        type="search"
        className="field"
        aria-label={`Find ${thing}`}
        placeholder={`Find ${thing}…`}
        value={words}
        onChange={({ target }) => onFind(target.value)}
      />
      {children}
    </header>
  );
}

interface MakeButtonProps {
  readonly refusal: string | undefined;
  readonly onMake: () => void;
  readonly children: ReactNode;
}

/** The way to a new one, with the reason where there is none. */
export function MakeButton({ refusal, onMake, children }: MakeButtonProps) {
  return (
    <button
      type="button"
      className="btn main"
      disabled={refusal !== undefined}
      title={refusal}
      onClick={onMake}
    >
      <Plus /> {children}
    </button>
  );
}

/** Those whose name or description has these words. */
export function findNamed<T extends { readonly name: string; readonly description: string }>(
  things: readonly T[] | undefined,
  words: string,
): readonly T[] | undefined {
  const wanted = words.trim().toLowerCase();
  return things?.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
}
