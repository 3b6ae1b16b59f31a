import "../../ui/display/shelf.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

export type OpenPlace = readonly [string | undefined, (id: string | undefined) => void];

/** The path segment of a new resource. */
export const NEW = "new";

/** The open item of a settings list, from the address. */
export function useOpen(): OpenPlace {
  const { open } = useSearch({ strict: false });
  const { page = "" } = useParams({ strict: false });
  const navigate = useNavigate();
  return [
    open,
    (id) => void navigate({ to: "/settings/desk/$page", params: { page }, search: { open: id } }),
  ];
}

interface ReadList<T> {
  readonly data: { readonly data: readonly T[] } | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** The items of a settings list, the open one, and the loading state. */
export function useShelf<T extends { readonly id: string }>(list: ReadList<T>) {
  const [open] = useOpen();
  const { error, isPending } = list;
  const things = list.data?.data ?? [];
  return {
    things,
    open,
    opened: things.find(({ id }) => id === open),
    isNew: open === NEW,
    reading: { error, isPending, onRetry: () => void list.refetch() },
  };
}

export interface ShelfItem {
  readonly id: string;
  readonly label: string;
  readonly about?: ReactNode;
  readonly mark?: ReactNode;
}

interface ShelfProps {
  readonly label: string;
  /** The button label: "New macro". */
  readonly make: string;
  readonly refusal?: string | undefined;
  readonly items: readonly ShelfItem[];
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onRetry: () => void;
  /** The text of the empty state. */
  readonly nothing: string;
  readonly children: ReactNode;
  /** The open item and how to open another, for lists outside the settings. */
  readonly place?: OpenPlace;
  /** Shown above the list. */
  readonly about?: ReactNode;
}

/** A list of resources, next to the open one. */
export function Shelf(props: ShelfProps) {
  const { items, make, refusal, label } = props;
  const own = useOpen();
  const [open, setOpen] = props.place ?? own;
  useListKeys({ ids: items.map(({ id }) => id), chosen: open, onChoose: setOpen });
  useActions([{ keys: "c", label: make, run: () => setOpen(NEW), disabled: refusal }]);
  const makeButton = (
    <Button refusal={refusal} onClick={() => setOpen(NEW)}>
      <Plus /> {make}
    </Button>
  );
  return (
    <div className={`shelf${open === undefined ? "" : " has-open"}`}>
      <section className="shelf-list scroll" aria-label={label} tabIndex={0}>
        {items.length > 0 && <p className="shelf-make">{makeButton}</p>}
        {props.about}
        {props.error && <ErrorNotice error={props.error} retry={props.onRetry} />}
        {props.isPending && !props.error && <Loading rows={6} />}
        {!props.isPending && items.length === 0 && !props.error && (
          <Empty title="Nothing here yet" action={makeButton}>
            {props.nothing}
          </Empty>
        )}
        <ul>
          {items.map(({ id, label: own, about, mark }) => (
            <li key={id}>
              <PlainButton
                className="shelf-line"
                aria-current={id === open ? "true" : undefined}
                onClick={() => setOpen(id)}
              >
                <span className="grow">
                  <span className="shelf-name cut">{own}</span>
                  {about !== undefined && <span className="shelf-about cut">{about}</span>}
                </span>
                {mark}
              </PlainButton>
            </li>
          ))}
        </ul>
      </section>
      {open === undefined ? (
        <p className="shelf-none muted">{items.length > 0 && "Select an entry to edit it."}</p>
      ) : (
        <div className="shelf-open scroll" tabIndex={0} role="region" aria-label="Editor">
          <Button look="bare" className="shelf-back" onClick={() => setOpen(undefined)}>
            <ArrowLeft /> {label}
          </Button>
          {props.children}
        </div>
      )}
    </div>
  );
}
