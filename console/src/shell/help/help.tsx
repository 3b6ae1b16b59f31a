import "./help.css";
import { ArrowLeft, ExternalLink, X } from "lucide-react";
import { type MouseEvent, useEffect, useRef, useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { BASE_PATH } from "../../data/place.ts";
import { useActions } from "../actions.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { guideOf } from "./guide-of.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

interface HelpProps {
  readonly path: string;
  readonly onClose: () => void;
}

interface Place {
  readonly name: string;
  readonly anchor?: string | undefined;
}

const PAUSE_MS = 150;

/**
 * Guides in a panel next to the screen. It shows the guide of the current screen until the user selects another
 * guide.
 */
export function Help({ path, onClose }: HelpProps) {
  const own = guideOf(path);
  const [chosen, setChosen] = useState<Place>();
  const [text, setText] = useState("");
  const sought = useDebounced(text.trim(), PAUSE_MS);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => setChosen(undefined), [own]);
  useActions([{ keys: "Escape", label: "Close help", run: onClose, within: ".help" }]);
  const open = (place: Place): void => {
    setChosen(place);
    setText("");
  };
  const shown = chosen ?? { name: own };
  return (
    <aside className="help" aria-label="Help">
      <header className="help-head">
        {chosen && chosen.name !== own && (
          <Button
            look="bare"
            isIcon
            aria-label="Back to the guide for this screen"
            onClick={() => setChosen(undefined)}
          >
            <ArrowLeft />
          </Button>
        )}
        <TextInput
          className="grow"
          ref={field}
          type="search"
          aria-label="Search guides"
          placeholder="Search guides…"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <a
          className="btn bare icon"
          href={`${BASE_PATH}/guide/${shown.name}`}
          target="_blank"
          rel="noreferrer"
          aria-label="Open guide in new tab"
          title="Open guide in new tab"
        >
          <ExternalLink />
        </a>
        <Button look="bare" isIcon aria-label="Close help" onClick={onClose}>
          <X />
        </Button>
      </header>
      {sought === "" ? (
        <GuideText place={shown} onOpen={open} />
      ) : (
        <Hits text={sought} onOpen={open} />
      )}
    </aside>
  );
}

const GUIDE_LINK = /\/guide\/([a-z-]+)(?:#([\w-]+))?$/;

function GuideText(props: { readonly place: Place; readonly onOpen: (place: Place) => void }) {
  const { name, anchor } = props.place;
  const { data, error, isPending, refetch } = useOp("guides.read", { params: { name } });
  const body = useRef<HTMLDivElement>(null);
  const html = data?.data.name === name ? data.data.html : undefined;
  useEffect(() => {
    const target =
      anchor === undefined ? undefined : body.current?.querySelector(`[id="${anchor}"]`);
    if (target) target.scrollIntoView();
    else body.current?.scrollTo(0, 0);
  }, [html, anchor]);
  const follow = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href") ?? "";
    if (href === "" || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const [, other, part] = GUIDE_LINK.exec(href) ?? [];
    if (other !== undefined) props.onOpen({ name: other, anchor: part });
    else if (href.startsWith("#")) props.onOpen({ name, anchor: href.slice(1) });
    else window.open(href, "_blank", "noreferrer");
  };
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending || html === undefined) return <Loading rows={12} />;
  return (
    <div
      ref={body}
      className="help-text scroll"
      tabIndex={0}
      role="region"
      aria-label={data?.data.title}
      onClick={follow}
      // Rendered by the server from its own files, without scripts.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

type Hit = Schemas["GuideSearch"]["hits"][number];

function Hits(props: { readonly text: string; readonly onOpen: (place: Place) => void }) {
  const { data, error, isPending, refetch } = useOp("guides.search", { query: { q: props.text } });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={6} />;
  if (data.data.hits.length === 0) {
    return <Empty title="No guides found">Try fewer or different words.</Empty>;
  }
  const label = ({ title, heading }: Hit): string =>
    heading === title ? title : `${title} › ${heading}`;
  return (
    <ul className="help-hits scroll">
      {data.data.hits.map((hit) => (
        <li key={`${hit.name} ${hit.anchor} ${hit.excerpt}`}>
          <PlainButton onClick={() => props.onOpen({ name: hit.name, anchor: hit.anchor })}>
            <strong>{label(hit)}</strong>
            <span className="muted">{hit.excerpt}</span>
          </PlainButton>
        </li>
      ))}
    </ul>
  );
}
