/** The upload server as the documentation of commons-fileupload writes it. */
package uploadlab;
