/** The options of a field's list. */
import { Check } from "lucide-react";
import { foldText } from "../behaviour/fold.ts";

export interface ComboOption {
  readonly value: string;
  readonly label: string;
  readonly about?: string | undefined;
  readonly group?: string | undefined;
}

/** Options loaded while the user types: one page of the matches. */
export interface OptionSearch {
  /** The search text of the options. */
  readonly words: string;
  /** Starts a search; undefined when the list is closed. */
  readonly onWords: (words: string | undefined) => void;
  readonly isLoading: boolean;
  /** The reason why there are no options. */
  readonly problem: string | undefined;
  readonly hasMore: boolean;
}

const SHOWN_MAX = 100;

interface OptionLinesProps {
  readonly id: string;
  readonly options: readonly ComboOption[];
  readonly active: number;
  readonly value: string | undefined;
  readonly onActive: (option: ComboOption) => void;
  readonly onPick: (option: ComboOption) => void;
}

export function OptionLines(props: OptionLinesProps) {
  return props.options.map((option, n) => (
    <div
      key={option.value}
      id={`${props.id}-${n}`}
      role="option"
      aria-selected={n === props.active}
      className="list-option"
      onMouseMove={() => props.onActive(option)}
      onClick={() => props.onPick(option)}
    >
      <Check className={option.value === props.value ? "ico" : "ico none"} />
      <span className="grow cut">
        {option.label}
        {option.about && <small className="cut">{option.about}</small>}
      </span>
      {option.group && <span className="muted">{option.group}</span>}
    </div>
  ));
}

/** Filters options. Options starting with the search text are first. */
export function filterOptions(
  options: readonly ComboOption[],
  words: string,
): readonly ComboOption[] {
  const wanted = foldText(words.trim());
  if (wanted === "") return options.slice(0, SHOWN_MAX);
  const ranked = options.map((option) => ({ option, score: scoreOf(option, wanted) }));
  return ranked
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, SHOWN_MAX)
    .map(({ option }) => option);
}

function scoreOf({ label, value, about = "" }: ComboOption, wanted: string): number {
  const text = foldText(label);
  if (text.startsWith(wanted)) return 3;
  if (text.includes(wanted) || foldText(value).startsWith(wanted)) return 2;
  return foldText(about).includes(wanted) ? 1 : 0;
}
