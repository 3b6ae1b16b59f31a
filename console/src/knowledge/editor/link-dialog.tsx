import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const PAUSE_MS = 150;
const OFFERS = 10;

interface LinkedArticle {
  readonly number: string;
  readonly title: string;
}

/** Searches another article to link to. */
export function LinkDialog(props: {
  readonly onPick: (article: LinkedArticle) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState("");
  const q = useDebounced(text.trim(), PAUSE_MS);
  const { data } = useOp("knowledge.list", {
    query: { limit: OFFERS, ...(q !== "" && { q }) },
  });
  const [first] = data?.data ?? [];
  return (
    <Dialog
      title="Link to an article"
      onClose={props.onClose}
      onSubmit={() => first && props.onPick(first)}
    >
      <TextInput
        type="search"
        aria-label="Search articles"
        placeholder="Search by title or number… Enter selects the first"
        autoFocus
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul className="kb-offers" aria-label="Articles">
        {data?.data.map(({ id, number, title }) => (
          <li key={id}>
            <PlainButton
              type="button"
              className="kb-ticket"
              onClick={() => props.onPick({ number, title })}
            >
              <span className="grow cut">{title}</span>
              <span className="mono muted">{number}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
