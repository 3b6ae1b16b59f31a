/** Exports for other areas. */
export { ArticleBody } from "./article/article-body.tsx";
