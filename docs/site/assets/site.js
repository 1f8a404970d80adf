'use strict';

/* The search. Its index is loaded when somebody first goes to the field; it is a script, so a file may load it too. */

(() => {
  const top = document.body.dataset.top;
  const form = document.querySelector('form.search');
  const input = form.querySelector('input');
  const list = form.querySelector('.found');
  const MOST = 12;
  let search;
  form.hidden = false;

  const contents = document.querySelector('details.contents');
  if (matchMedia('(max-width: 60rem)').matches) contents.open = false;

  function load(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${top}/assets/${name}`;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${name} could not be loaded`));
      document.head.append(script);
    });
  }

  async function makeSearch() {
    await Promise.all([load('minisearch.js'), load('search-index.js')]);
    const { options, index } = globalThis.docsIndex;
    return globalThis.MiniSearch.loadJS(index, options);
  }

  const ready = () => (search ??= makeSearch());

  function entry({ title, page, url, start }) {
    const link = document.createElement('a');
    link.href = `${top}/${url}`;
    for (const [name, text] of [
      ['strong', title],
      ['span', title === page ? start : `${page}: ${start}`],
    ]) {
      const part = document.createElement(name);
      part.textContent = text;
      link.append(part);
    }
    const item = document.createElement('li');
    item.append(link);
    return item;
  }

  async function show() {
    const text = input.value.trim();
    const index = await ready();
    if (text !== input.value.trim()) return;
    const found = text === '' ? [] : index.search(text, { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 } });
    const items = found.slice(0, MOST).map(entry);
    if (items.length === 0 && text !== '') {
      const none = document.createElement('li');
      none.textContent = 'Nothing found';
      items.push(none);
    }
    list.replaceChildren(...items);
    list.hidden = text === '';
  }

  input.addEventListener('focus', ready);
  input.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.hidden = true;
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    (links[at] ?? input).focus();
  });
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) list.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement === document.body) {
      event.preventDefault();
      input.focus();
    }
  });
})();
