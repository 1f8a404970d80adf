/** A heading with the anchor that GitHub gives it, and the text up to the next heading of any level. */
export interface Section {
  readonly title: string;
  readonly anchor: string;
  readonly body: string;
}

/** GitHub's rule: lower case, punctuation dropped, a hyphen for each space. Repeats are not numbered here. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** The sections of a page. Lines in code fences are not headings. */
export function sectionsOf(markdown: string): Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  let fenced = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? null : /^#{1,6} (.+)$/.exec(line);
    if (heading?.[1] !== undefined) sections.push({ title: heading[1].trim(), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines }) => ({ title, anchor: anchorOf(title), body: lines.join('\n') }));
}

/** The targets of links within the repository, as they are written. */
export function localLinks(markdown: string): string[] {
  const text = markdown.replace(/```[^]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!).filter((target) => !/^[a-z]+:/.test(target));
}
