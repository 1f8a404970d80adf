/* Copy buttons: `<button data-copy="id of the text" data-status="id of a live region" hidden>`. Without this script they stay hidden; the text can be selected. */
'use strict';

(function () {
  function legacyCopy(element) {
    var range = document.createRange();
    range.selectNodeContents(element);
    var selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    var done = document.execCommand('copy');
    if (done) selection.removeAllRanges();
    return done;
  }

  // The clipboard API requires HTTPS.
  function copyText(element) {
    if (navigator.clipboard === undefined) return Promise.resolve(legacyCopy(element));
    return navigator.clipboard.writeText(element.textContent.trim()).then(
      function () {
        return true;
      },
      function () {
        return legacyCopy(element);
      },
    );
  }

  document.querySelectorAll('button[data-copy]').forEach(function (button) {
    var source = document.getElementById(button.dataset.copy);
    var status = document.getElementById(button.dataset.status);
    if (source === null || status === null) return;
    var clear;
    button.hidden = false;
    button.addEventListener('click', function () {
      copyText(source).then(function (done) {
        status.textContent = done ? 'Copied to the clipboard.' : 'Not copied. Please select the text and copy it.';
        button.classList.toggle('done', done);
        clearTimeout(clear);
        clear = setTimeout(function () {
          status.textContent = '';
          button.classList.remove('done');
        }, 4000);
      });
    });
  });
})();
