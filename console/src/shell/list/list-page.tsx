import "./list-page.css";
import { Plus } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";
import { Keys } from "../../ui/key.tsx";
import { count } from "../../ui/words.ts";
import { useActions } from "../actions.ts";
import { useTitle } from "../title.ts";

/** The loading state of the list. */
interface Read {
  readonly data:
    | {
        readonly data: unknown;
        readonly pagination?: { readonly nextCursor: string | null };
      }
    | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

interface Which<T extends string> {
  readonly options: readonly { readonly id: T; readonly label: string }[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
}

interface Find {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The searched fields: "name, address and events". */
  readonly by: string;
}

interface Create {
  /** The button label: "New webhook". */
  readonly label: string;
  readonly run: () => void;
  /** The reason why the action is disabled; undefined if it is allowed. */
  readonly refusal: string | undefined;
}

interface ListPageProps<T extends string> {
  readonly title: string;
  /** The purpose of the list, in one line. */
  readonly about: ReactNode;
  /** The singular name of an item: "webhook". */
  readonly thing: string;
  readonly read: Read;
  /** The number of items to show. */
  readonly shown: number;
  /** Types or states, of which one is listed. */
  readonly which?: Which<T>;
  readonly find?: Find;
  readonly create?: Create;
  /** More actions next to the main action. */
  readonly others?: ReactNode;
  /** The empty state, with an example. */
  readonly empty: ReactNode;
  /** Replaces the empty state, for example with a gallery. */
  readonly start?: ReactNode;
  /** The list; rendered only if it has entries. */
  readonly children: ReactNode;
}

/** A list page: description, filters, count, and one main action. */
export function ListPage<T extends string = never>(props: ListPageProps<T>) {
  const { title, about, thing, read, shown, which, find, create, others } = props;
  const { data, error, isPending, refetch } = read;
  const field = useRef<HTMLInputElement>(null);
  const one = `${/^[aeiou]/i.test(thing) ? "an" : "a"} ${thing}`;
  useTitle(title);
  useActions([
    ...(create
      ? [{ keys: "n", label: create.label, run: create.run, disabled: create.refusal }]
      : []),
    ...(find ? [{ keys: "/", label: `Find ${one}`, run: () => field.current?.focus() }] : []),
  ]);
  const isMore = typeof data?.pagination?.nextCursor === "string";
  const words = find?.value.trim() ?? "";
  const button = create && (
    <Button look="main" refusal={create.refusal} onClick={create.run}>
      <Plus /> {create.label} <Keys keys="n" />
    </Button>
  );
  return (
    <div className="page paper list-page">
      <header className="page-head list-head">
        <div className="list-name">
          <h1>{title}</h1>
          {data && shown > 0 && (
            <span className="muted" role="status">
              {isMore ? `first ${count(shown, thing)}` : count(shown, thing)}
            </span>
          )}
          <p className="muted list-about">{about}</p>
        </div>
        {which && (
          <div className="tabs" role="group" aria-label="Filter">
            {which.options.map(({ id, label }) => (
              <PlainButton
                key={id}
                aria-pressed={id === which.chosen}
                onClick={() => which.onChoose(id)}
              >
                {label}
              </PlainButton>
            ))}
          </div>
        )}
        {find && (
          <TextInput
            ref={field}
            className="list-find"
            type="search"
            aria-label={`Find ${one}`}
            placeholder="Find…"
            title={`Search by ${find.by}`}
            value={find.value}
            onChange={({ target }) => find.onChange(target.value)}
          />
        )}
        {others}
        {button}
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && !error && <Loading rows={8} />}
      {data && shown > 0 && props.children}
      {data && shown === 0 && words !== "" && (
        <Empty
          title={`No ${thing} found for “${words}”`}
          action={<Button onClick={() => find?.onChange("")}>Clear search</Button>}
        >
          The search covers {find?.by}.
        </Empty>
      )}
      {data &&
        shown === 0 &&
        words === "" &&
        (props.start ?? (
          <Empty title={`No ${count(0, thing).replace(/^\S+ /, "")} yet`} action={button}>
            {props.empty}
          </Empty>
        ))}
    </div>
  );
}
