import { Fragment, useState } from "react";
import { Link } from "@tanstack/react-router";
import { ticketPath } from "../ticket-kind.ts";
import { foldQuote, splitText } from "./text.ts";
import { PlainButton } from "../../ui/form/button.tsx";

/** A message text with links, linked ticket numbers and a collapsed quote. */
export function TextBody({ text }: { readonly text: string }) {
  const { own, quoted } = foldQuote(text);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="text-body">
      <Pieces text={own} />
      {quoted !== "" && (
        <>
          <PlainButton
            className="quote-button"
            aria-expanded={isOpen}
            aria-label={isOpen ? "Hide quoted text" : "Show quoted text"}
            onClick={() => setOpen(!isOpen)}
          >
            •••
          </PlainButton>
          {isOpen && (
            <blockquote>
              <Pieces text={quoted} />
            </blockquote>
          )}
        </>
      )}
    </div>
  );
}

function Pieces({ text }: { readonly text: string }) {
  return splitText(text).map((piece, n) => {
    if (piece.sort === "link") {
      return (
        <a key={n} className="link" href={piece.text} target="_blank" rel="noreferrer noopener">
          {piece.text}
        </a>
      );
    }
    if (piece.sort === "ticket") {
      return (
        <Link key={n} className="link" to={ticketPath(piece.text)}>
          {piece.text}
        </Link>
      );
    }
    if (piece.sort === "mention") {
      return (
        <b key={n} className="mention">
          {piece.text}
        </b>
      );
    }
    return <Fragment key={n}>{piece.text}</Fragment>;
  });
}
