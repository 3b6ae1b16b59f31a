import { useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";

const ARTICLE = /^KB\d{7,15}$/;

/** A published article. The server renders and sanitizes its HTML. */
export function ArticleBody({ html }: { readonly html: string }) {
  const navigate = useNavigate();
  const follow = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const to = link?.getAttribute("href") ?? "";
    if (!ARTICLE.test(to) || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    void navigate({ to: "/knowledge/$id", params: { id: to } });
  };
  return <div className="kb-body" onClick={follow} dangerouslySetInnerHTML={{ __html: html }} />;
}
